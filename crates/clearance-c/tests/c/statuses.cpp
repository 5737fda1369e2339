// The header for C++ without exceptions.
#define CLEARANCE_NO_EXCEPTIONS
#include "clearance.hpp"
#include <cstdio>
#include <cstdlib>

using namespace clearance;

#define CHECK(x) ((x) ? (void)0 : (std::fprintf(stderr, "statuses.cpp:%d: %s\n", __LINE__, #x), std::exit(1)))

int main() {
    CHECK(check_abi());
    Answer<Geometry> wrong = Geometry::sphere(-1);
    CHECK(!wrong && wrong.status() == CLEARANCE_STATUS_VALUE && !wrong.message().empty());
    Geometry ball = Geometry::sphere(1).value();
    Pair pair = Pair::make(ball, ball).value();
    Answer<bool> hit = pair.collides(Pose::at(1, 0, 0));
    CHECK(hit && hit.value());
    CHECK(!pair.collides(Pose::at(3, 0, 0)).value());
    CHECK(std::abs(pair.distance(Pose::at(3, 0, 0)).value().upper - 1) < 1e-9);
    Scene scene = Scene::make().value();
    CHECK(scene.add("ball", ball) && !scene.add("ball", ball));
    Robot robot = Robot::humanoid().value();
    Checker checker = Checker::make(robot).value();
    CHECK(checker.set_scene(scene).ok());
    CHECK(checker.collides(robot.middle()).ok());
    std::vector<double> none{1};
    CHECK(checker.collides(none).status() == CLEARANCE_STATUS_VALUE);
    CHECK(VoxelMap::make(0.1).ok() && World::make(0).ok() && Options::make().ok());
    return 0;
}
