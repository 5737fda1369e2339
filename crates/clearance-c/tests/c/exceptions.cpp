// The header for C++ with exceptions: every class once, and its errors.
#if defined(WITH_EIGEN)
#include <Eigen/Geometry>
#endif
#include "clearance.hpp"
#include <cstdio>
#include <cstdlib>

using namespace clearance;

#define CHECK(x) ((x) ? (void)0 : (std::fprintf(stderr, "exceptions.cpp:%d: %s\n", __LINE__, #x), std::exit(1)))

template <class F> Status thrown(F f) {
    try {
        f();
    } catch (const Error &error) {
        CHECK(error.what()[0] != 0);
        return error.status();
    }
    return CLEARANCE_STATUS_OK;
}

static const char *urdf =
    "<robot name='lift'><link name='base'/><link name='hand'><collision><geometry><sphere radius='0.1'/></geometry>"
    "</collision></link><joint name='up' type='prismatic'><parent link='base'/><child link='hand'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>";

int main(int, char **argv) {
    check_abi();
    std::string folder = argv[1];
    Geometry ball = Geometry::sphere(0.5), box = Geometry::box(2, 2, 2), copy = ball;
    ball = copy;
    std::vector<double> corners{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const std::uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    Geometry mesh = Geometry::mesh(corners, faces);
    CHECK(mesh.size().second == 4);
    CHECK(mesh.mesh_data().first == corners && mesh.mesh_data().second[3] == 0 && !mesh.is_solid());
    CHECK(mesh.solid().is_solid() && thrown([&] { ball.mesh_data(); }) == CLEARANCE_STATUS_VALUE);
    CHECK(mesh.solid().bounding_box().second[0] == 1);
    CHECK(mesh.decompose(0.01).bounding_box().second[2] > 0.9);
    CHECK(mesh.convex_hull().get() != nullptr);
    CHECK(thrown([&] { Geometry::sphere(-1); }) == CLEARANCE_STATUS_VALUE);
    CHECK(thrown([&] { Geometry::load("absent.stl"); }) == CLEARANCE_STATUS_IO);
    CHECK(thrown([&] { box.solid(); }) == CLEARANCE_STATUS_VALUE);
    Geometry::capsule(1, 2), Geometry::cylinder(1, 2), Geometry::cone(1, 2), Geometry::ellipsoid(1, 2, 3);
    Geometry::convex_hull(corners), Geometry::half_space({0, 0, 1}, 0), Geometry::plane({0, 0, 1}, 0);
    Geometry::point_cloud(corners, 0.1);
    std::array<double, 6> heights{};
    Geometry::height_field(heights, 3, 1, 1), Geometry::height_field(heights, 3, 1, 1, -1);
    Geometry both = Geometry::compound({{ball, Pose()}, {ball, Pose::at(2, 0, 0)}});
    CHECK(both.bounding_box().second[0] > 2.4);
    std::vector<Ray> rays{{{-3, 0, 0}, {1, 0, 0}, INFINITY}};
    CHECK(std::abs(ball.rays(rays)[0].t - 2.5) < 1e-12 && ball.ray_hits(rays[0]).size() == 2);
    std::vector<double> point{2, 0, 0};
    CHECK(std::abs(ball.signed_distances(point)[0].distance - 1.5) < 1e-12);

    Pair pair(box, ball);
    Pose far = Pose::at(3, 0, 0), near = Pose::at(1.2, 0, 0);
    CHECK(!pair.collides(far) && pair.clone().collides(near));
    std::vector<Pose> poses{far, near};
    CHECK(pair.collides(poses, 2) == std::vector<bool>({false, true}));
    CHECK(std::abs(pair.distances(poses)[0].upper - 1.5) < 1e-9 && pair.is_within(far, 1.6));
    CHECK(std::abs(pair.distance(far).lower - 1.5) < 1e-9);
    CHECK(pair.gradient(far)->by_b[0] > 0.999 && !pair.gradient(near));
    CHECK(pair.signed_distance(near).signed_distance < -0.29);
    CHECK(pair.penetration(near)->upper < 0.31 && !pair.penetration(far));
    CHECK(!Pair(mesh, mesh).contacts(Pose::at(0.2, 0.2, -0.1)).empty());
    Impact impact = pair.time_of_impact(Motion::still(), Motion::between(far, Pose()));
    CHECK(impact.verdict == CLEARANCE_VERDICT_CONTACT && std::abs(impact.t_upper - 0.5) < 1e-4);
    Motion::moving(far, {1, 0, 0}, {0, 0, 1}), Motion::screw(far, {0, 0, 0}, {0, 0, 1}, 0.1);
    Motion::thrown(far, {0, 0, 0}, {0, 0, -9.8});
    std::array<double, 2> times{0, 1};
    CHECK(std::abs(Motion::through(times, poses).at(0.5).translation()[0] - 2.1) < 1e-9);
    std::array<double, 3> speed{1, 0, 0};
    Motion fall = Motion::polynomial(Pose(), speed), back = Motion::between(Pose::at(1, 0, 0), Pose(), 2);
    CHECK(fall.then(back).duration() == 3 && thrown([&] { back.then(back); }) == CLEARANCE_STATUS_VALUE);
    Vector3 there = far.inverse() * Vector3{3, 0, 0};
    CHECK(there[0] == 0 && Pose::from_quaternion({1, 2, 3}, {0, 0, 0, 1}).rows[0][0] == -1);

    VoxelMap map(0.1);
    map.set(point, CLEARANCE_CELL_OBSTACLE);
    CHECK(map.cells(point)[0] == CLEARANCE_CELL_OBSTACLE);
    map.save(folder + "/map.bt");
    CHECK(VoxelMap::load(folder + "/map.bt").obstacles().bounding_box().first[0] > 1.9);
    CHECK(map.insert_rays({0, 0, 0}, point).rays == 1);

    VoxelMap drawn(0.1);
    drawn.fill({0, 0, 0}, {0.05, 0.05, 0.05}), drawn.rasterize(mesh);
    CHECK(drawn.resolution() == 0.1 && drawn.cubes().size() > 100 && drawn.cubes(CLEARANCE_CELL_UNKNOWN).empty());

    Robot robot = Robot::from_urdf(urdf);
    CHECK(robot.dof() == 1 && robot.name() == "lift" && robot.link_names()[1] == "hand" && robot.joint_names()[0] == "up");
    CHECK(robot.lower()[0] == -1 && robot.upper()[0] == 1 && robot.middle()[0] == 0 && robot.link_index("hand") == 1);
    CHECK(!robot.is_checked(0, 1) && robot.notes().empty());
    CHECK(Robot(Robot::from_urdf(urdf, "<robot name='lift'><group name='all'><joint name='up'/></group></robot>")).group("all")[0] == 0);
    CHECK(thrown([&] { robot.group("none"); }) == CLEARANCE_STATUS_NAME);
    Options options;
    options.padding(0.0), options.padding("hand", 0.0), options.margin(0.0), options.margin("hand", "lamp", 0.01);
    std::array<double, 4> matrix{0, 0.01, 0.01, 0};
    options.margins({"hand", "lamp"}, matrix);
    std::array<double, 3> short_matrix{};
    CHECK(thrown([&] { options.margins({"hand", "lamp"}, short_matrix); }) == CLEARANCE_STATUS_POINTER);
    Checker checker(robot, options);
    checker.add("lamp", Geometry::sphere(0.1), Pose::at(0, 0, 0.9));
    std::vector<double> low{0}, high{0.75};
    CHECK(!checker.collides(low) && checker.collides(high) && checker.is_free(low));
    CHECK(checker.collision(high)->b == "lamp" && !checker.collision(high, CLEARANCE_SELF));
    CHECK(checker.collisions(high).size() == 1 && checker.near(high, 0.1)[0].gradient.size() == 1);
    CHECK(std::abs(checker.distance(low)->upper - 0.69) < 1e-9);
    CHECK(checker.edge(low, high).b == "lamp" && !checker.is_edge_free(low, high));
    std::vector<double> rows{0, 0.75};
    CHECK(checker.are_free(rows, 1) == std::vector<bool>({true, false}));
    CHECK(checker.are_edges_free(low, high, 1) == std::vector<bool>({false}));
    CHECK(std::abs(checker.distances(rows, 1)[0][1] - 0.69) < 1e-9 && checker.distances(rows, 1)[1][1] == 0);
    std::vector<double> ways{0, 0.3, 0.1};
    CHECK(checker.path(ways, 1).size() == 2 && checker.path(ways, 1)[0].is_free() && checker.spline(ways, 1)[1].is_free());
    CHECK(thrown([&] { checker.path(ways, 2); }) == CLEARANCE_STATUS_VALUE);
    std::vector<double> half{0.35};
    CHECK(std::abs(checker.edge_clearance(low, half)->upper - 0.34) < 0.01);
    CHECK(checker.ray(low, {{0, 0, 5}, {0, 0, -1}, INFINITY})->first == "lamp" && !checker.ray(low, {{9, 0, 0}, {0, 0, 1}, INFINITY}));
    CHECK(checker.link_poses(high, 2)[1].rows[2][3] == 0.75 && checker.base().rows[0][0] == 1);
    CHECK(checker.can_touch("hand", "lamp").touch == CLEARANCE_TOUCH_SOMETIMES);
    CHECK(checker.link_gap("base", "hand").touch == CLEARANCE_TOUCH_UNCHECKED);
    CHECK(checker.reach("hand").bounding_box().second[2] >= 1.1 && checker.reach().get());
    checker.prepare_for_planning(1, false), checker.save_planning(folder + "/plan"), checker.load_planning(folder + "/plan");
    Checker twin = checker.clone();
    twin.set_base(Pose::at(0, 0, 0.5));
    CHECK(!checker.robot_collision(low, twin, low) && checker.robot_collision(half, twin, low)->against == CLEARANCE_AGAINST_ROBOT);
    CHECK(std::abs(checker.robot_distance(low, twin, low)->upper - 0.3) < 1e-9);
    CHECK(checker.robot_near(low, twin, low, 1)[0].gradient_b.size() == 1);
    std::vector<Pose> links = robot.link_poses(high);
    checker.place_links(links);
    CHECK(checker.collides({}) && checker.near({}, 0)[0].signed_distance < 0);
    checker.attach("cup", Geometry::sphere(0.05), "hand");
    CHECK(checker.detach("cup").second.translation()[2] == 0.75);
    Checker other = checker.clone();
    other.move("lamp", Pose()), other.replace("lamp", ball), other.remove("lamp");
    Scene scene = checker.scene();
    scene.save(folder + "/room.json");
    std::vector<Ray> down{{{0, 0, 5}, {0, 0, -1}, INFINITY}, {{0, 0, 5}, {0, 0, 1}, INFINITY}};
    CHECK(scene.rays(down)[0].first == "lamp" && scene.rays(down)[1].first.empty() && scene.ray_hits(down[0]).size() == 2);
    std::array<double, 3> floor{};
    CHECK(std::abs(scene.signed_distances(floor)[0].second.distance - 0.8) < 1e-9 && scene.geometry("lamp").get());
    DepthCamera camera{std::uint64_t(1) << 40, std::uint64_t(1) << 40, {1, 1}, {0, 0}};
    CHECK(thrown([&] { scene.depth_image(camera, Pose()); }) == CLEARANCE_STATUS_VALUE);
    CHECK(Scene::load(folder + "/room.json").names() == scene.names());
    other.set_scene(scene);
    CHECK(other.collides(high));
    CHECK(Robot(robot.scaled({{"hand", 2.0}})).dof() == 1);
    CHECK(thrown([&] { checker.collides({}); checker.remove("moon"); }) == CLEARANCE_STATUS_NAME);
    std::vector<double> two{0, 0};
    CHECK(thrown([&] { checker.edge(low, two); }) == CLEARANCE_STATUS_VALUE);
    // Rows that are not whole and lists that do not fit are refused, never cut.
    CHECK(thrown([&] { checker.are_edges_free(low, two, 1); }) == CLEARANCE_STATUS_VALUE);
    CHECK(thrown([&] { checker.are_free(two, 3); }) == CLEARANCE_STATUS_VALUE);
    CHECK(thrown([&] { Geometry::convex_hull(two); }) == CLEARANCE_STATUS_VALUE);
    std::vector<Pose> two_poses{Pose(), Pose::at(1, 0, 0)};
    CHECK(thrown([&] { Motion::through(low, two_poses); }) == CLEARANCE_STATUS_VALUE);
    Options moved_to = std::move(options);
    CHECK(thrown([&] { Checker(robot, options); }) == CLEARANCE_STATUS_POINTER);

    World world(0.0);
    auto a = world.add(ball), b = world.add(ball, Pose::at(0.9, 0, 0));
    world.step();
    CHECK(world.pairs().size() == 1 && world.distance(a, b).upper == 0);
    CHECK(world.pose(b).translation()[0] == 0.9 && world.nearest(a, 1)[0].body == b);
    world.set_groups(b, 2, 2), world.step();
    CHECK(world.pairs().empty());

#if defined(WITH_EIGEN)
    Eigen::Isometry3d eigen_pose = Eigen::Isometry3d::Identity();
    eigen_pose.translation() << 3, 0, 0;
    Distance seen = pair.distance(eigen_pose);
    CHECK((eigen(seen.point_b) - eigen(seen.point_a)).norm() - 1.5 < 1e-9);
    CHECK(Pose(eigen_pose).isometry().isApprox(eigen_pose));
    Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.75);
    CHECK(checker.collides(q));
#endif
    return 0;
}
