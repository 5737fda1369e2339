// An OMPL planner that asks clearance: states are checked, motions are proven, and so is the path at the end.
//     ompl_panda [URDF SRDF]      the built-in humanoid without files
#include <clearance.hpp>

#include <ompl/base/MotionValidator.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/RandomNumbers.h>

#include <chrono>
#include <cstdio>

namespace ob = ompl::base;
namespace og = ompl::geometric;
using clearance::Checker;
using Configuration = clearance::Span<const double>;

static Configuration numbers(const ob::State *state, std::size_t dof) {
    return {state->as<ob::RealVectorStateSpace::StateType>()->values, dof};
}

struct Validity : ob::StateValidityChecker {
    Checker &checker;
    Validity(const ob::SpaceInformationPtr &space, Checker &checker) : StateValidityChecker(space), checker(checker) {}
    bool isValid(const ob::State *state) const override {
        return si_->satisfiesBounds(state) && checker.is_free(numbers(state, si_->getStateDimension()));
    }
};

// OMPL's own validator samples a motion; this one proves it.
struct Motions : ob::MotionValidator {
    Checker &checker;
    Motions(const ob::SpaceInformationPtr &space, Checker &checker) : MotionValidator(space), checker(checker) {}
    bool checkMotion(const ob::State *from, const ob::State *to) const override {
        std::size_t dof = si_->getStateDimension();
        return checker.is_edge_free(numbers(from, dof), numbers(to, dof));
    }
    bool checkMotion(const ob::State *from, const ob::State *to, std::pair<ob::State *, double> &last) const override {
        if (checkMotion(from, to)) return true;
        std::size_t dof = si_->getStateDimension();
        last.second = checker.edge(numbers(from, dof), numbers(to, dof)).t_lower * 0.99;
        if (last.first) si_->getStateSpace()->interpolate(from, to, last.second, last.first);
        return false;
    }
};

int main(int argc, char **argv) {
    using namespace clearance;
    using Clock = std::chrono::steady_clock;
    ompl::RNG::setSeed(7);
    Robot robot = argc == 3 ? Robot::load(argv[1], argv[2]) : Robot::humanoid();
    std::size_t dof = robot.dof();
    Checker checker(robot);
    checker.add("left post", Geometry::box(0.1, 0.1, 1.2), Pose::at(0.45, 0.35, 0.6));
    checker.add("right post", Geometry::box(0.1, 0.1, 1.2), Pose::at(0.45, -0.35, 0.6));
    checker.add("shelf", Geometry::box(0.3, 0.9, 0.04), Pose::at(0.65, 0, 0.75));
    checker.prepare_for_planning(1, false);

    std::vector<double> lower = robot.lower(), upper = robot.upper(), start = robot.middle(), goal;
    for (std::size_t i = 0; i < dof; i++) {
        if (!std::isfinite(lower[i])) lower[i] = -M_PI;
        if (!std::isfinite(upper[i])) upper[i] = M_PI;
    }
    // Free configurations to go between: the first two of a fixed sequence that are far apart.
    ompl::RNG random(42);
    auto sample = [&] {
        std::vector<double> q(dof);
        do {
            for (std::size_t i = 0; i < dof; i++) q[i] = random.uniformReal(lower[i], upper[i]);
        } while (!checker.is_free(q));
        return q;
    };
    if (!checker.is_free(start)) start = sample();
    do goal = sample();
    while (checker.is_edge_free(start, goal));

    auto space = std::make_shared<ob::RealVectorStateSpace>(static_cast<unsigned>(dof));
    ob::RealVectorBounds bounds(static_cast<unsigned>(dof));
    bounds.low = lower;
    bounds.high = upper;
    space->setBounds(bounds);
    og::SimpleSetup setup(space);
    setup.setStateValidityChecker(std::make_shared<Validity>(setup.getSpaceInformation(), checker));
    setup.getSpaceInformation()->setMotionValidator(std::make_shared<Motions>(setup.getSpaceInformation(), checker));
    setup.setPlanner(std::make_shared<og::RRTConnect>(setup.getSpaceInformation()));
    ob::ScopedState<> from(space), to(space);
    for (std::size_t i = 0; i < dof; i++) from[i] = start[i], to[i] = goal[i];
    setup.setStartAndGoalStates(from, to);

    auto begin = Clock::now();
    ob::PlannerStatus solved = setup.solve(60.0);
    double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (solved != ob::PlannerStatus::EXACT_SOLUTION) {
        std::fprintf(stderr, "no path in %.1f s\n", seconds);
        return 1;
    }
    // Another checker proves the path: nothing of the planner's is trusted.
    Checker judge = checker.clone();
    const auto &states = setup.getSolutionPath().getStates();
    double least = INFINITY;
    for (std::size_t i = 0; i + 1 < states.size(); i++) {
        Edge edge = judge.edge(numbers(states[i], dof), numbers(states[i + 1], dof));
        if (!edge.is_free()) {
            std::fprintf(stderr, "edge %zu is not free: %s and %s\n", i, edge.a.c_str(), edge.b.c_str());
            return 1;
        }
        least = std::min(least, edge.clearance);
    }
    std::printf("%s: a path of %zu states in %.3f s, proven free, %.2g m of clearance at least\n", robot.name().c_str(),
                states.size(), seconds, least);
    return 0;
}
