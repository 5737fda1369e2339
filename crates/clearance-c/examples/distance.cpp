// The distance of two shapes, as coal's first example has it.
// Build: c++ -std=c++17 distance.cpp $(pkg-config --cflags --libs clearance) -o distance
#include <clearance.hpp>
#include <cstdio>

int main() {
    using namespace clearance;
    Geometry box = Geometry::box(1, 1, 0.1);
    Geometry ellipsoid = Geometry::ellipsoid(0.3, 0.2, 0.1);

    Pair pair(box, ellipsoid);
    Pose above = Pose::at(0.1, 0, 0.5), within = Pose::at(0.1, 0, 0.1);

    Distance apart = pair.distance(above);
    std::printf("between %.6f and %.6f m, from (%.3f %.3f %.3f)\n", apart.lower, apart.upper, apart.point_a[0],
                apart.point_a[1], apart.point_a[2]);

    if (pair.collides(within)) {
        SignedDistance deep = pair.signed_distance(within);
        std::printf("%.6f m deep, out along (%.3f %.3f %.3f)\n", -deep.signed_distance, deep.normal[0], deep.normal[1],
                    deep.normal[2]);
    }

    Impact impact = pair.time_of_impact(Motion::still(), Motion::between(above, Pose::at(0.1, 0, -0.5)));
    std::printf("first contact at %.6f of the way\n", impact.t_upper);
}
