// The same scenes to FCL 0.7 and to clearance in one run: collisions and distances of two meshes at many poses. The answers
// must agree; the ratio of the times is printed.
#include <Eigen/Geometry>
#include <clearance.hpp>

#include <fcl/fcl.h>

#include <chrono>
#include <cstdio>
#include <random>

using Clock = std::chrono::steady_clock;

// A torus of `2·n·m` triangles with bumps, so that nothing is degenerate.
static void torus(std::size_t n, std::size_t m, std::vector<double> &vertices, std::vector<std::uint32_t> &triangles) {
    for (std::size_t i = 0; i < n; i++)
        for (std::size_t j = 0; j < m; j++) {
            double u = 2 * M_PI * i / n, v = 2 * M_PI * j / m, r = 0.3 + 0.02 * std::sin(5 * u + 3 * v);
            vertices.insert(vertices.end(), {(1 + r * std::cos(v)) * std::cos(u), (1 + r * std::cos(v)) * std::sin(u),
                                             r * std::sin(v)});
            auto at = [&](std::size_t a, std::size_t b) { return static_cast<std::uint32_t>(a % n * m + b % m); };
            triangles.insert(triangles.end(), {at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            triangles.insert(triangles.end(), {at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
}

// The least of five turns: the machine may do something else meanwhile.
template <class F> static double seconds(F f) {
    double least = INFINITY;
    for (int turn = 0; turn < 5; turn++) {
        auto begin = Clock::now();
        f();
        least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return least;
}

int main() {
    std::vector<double> vertices;
    std::vector<std::uint32_t> triangles;
    torus(60, 40, vertices, triangles);

    using Model = fcl::BVHModel<fcl::OBBRSSd>;
    auto model = std::make_shared<Model>();
    model->beginModel();
    for (std::size_t t = 0; t < triangles.size(); t += 3) {
        auto corner = [&](std::size_t k) { return Eigen::Vector3d(&vertices[3 * triangles[t + k]]); };
        model->addTriangle(corner(0), corner(1), corner(2));
    }
    model->endModel();
    clearance::Geometry mesh = clearance::Geometry::mesh(vertices, triangles);
    clearance::Pair pair(mesh, mesh);

    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> near(0.0, 3.2);
    std::vector<Eigen::Isometry3d> poses;
    for (int i = 0; i < 300; i++) {
        Eigen::Quaterniond turn(normal(random), normal(random), normal(random), normal(random));
        Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
        pose.linear() = turn.normalized().toRotationMatrix();
        pose.translation() = Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized() * near(random);
        poses.push_back(pose);
    }
    std::vector<clearance::Pose> own(poses.begin(), poses.end());

    std::vector<bool> fcl_hits, hits;
    std::vector<double> fcl_distances, uppers, lowers;
    fcl::CollisionObjectd a(model), b(model);
    double fcl_collide = seconds([&] {
        fcl_hits.clear();
        for (const auto &pose : poses) {
            b.setTransform(pose);
            fcl::CollisionRequestd request;
            fcl::CollisionResultd result;
            fcl_hits.push_back(fcl::collide(&a, &b, request, result) > 0);
        }
    });
    double collide = seconds([&] {
        hits.clear();
        for (const auto &pose : own) hits.push_back(pair.collides(pose));
    });
    double fcl_distance = seconds([&] {
        fcl_distances.clear();
        for (std::size_t i = 0; i < poses.size(); i++) {
            if (hits[i]) continue;
            b.setTransform(poses[i]);
            fcl::DistanceRequestd request;
            fcl::DistanceResultd result;
            fcl_distances.push_back(fcl::distance(&a, &b, request, result));
        }
    });
    double distance = seconds([&] {
        uppers.clear();
        lowers.clear();
        for (std::size_t i = 0; i < own.size(); i++) {
            if (hits[i]) continue;
            clearance::Distance found = pair.distance(own[i]);
            uppers.push_back(found.upper);
            lowers.push_back(found.lower);
        }
    });
    std::size_t disagree = 0, colliding = 0;
    for (std::size_t i = 0; i < hits.size(); i++) {
        disagree += hits[i] != fcl_hits[i];
        colliding += hits[i];
    }
    for (std::size_t i = 0; i < uppers.size(); i++) {
        double error = 1e-6 * (1 + uppers[i]);
        disagree += fcl_distances[i] < lowers[i] - error || fcl_distances[i] > uppers[i] + error;
    }
    std::printf("%zu poses of two meshes of %zu triangles, %zu colliding: %zu disagreements\n", poses.size(),
                triangles.size() / 3, colliding, disagree);
    std::printf("collision: FCL %.2f us, clearance %.2f us, ratio %.1f\n", fcl_collide * 1e6 / hits.size(),
                collide * 1e6 / hits.size(), fcl_collide / collide);
    std::printf("distance: FCL %.2f us, clearance %.2f us, ratio %.1f\n", fcl_distance * 1e6 / uppers.size(),
                distance * 1e6 / uppers.size(), fcl_distance / distance);
    return disagree != 0;
}
