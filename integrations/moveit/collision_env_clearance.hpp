// clearance as a CollisionEnv of MoveIt 2. Compiled against the stub headers beside it, which were written from MoveIt's
// documented interface; never run inside of MoveIt.
#pragma once

#if __has_include(<moveit/collision_detection/collision_env.hpp>)
#include <moveit/collision_detection/collision_env.hpp>
#else
#include <moveit_stubs.hpp>
#endif
#include <clearance.hpp>

#include <mutex>

namespace collision_detection {

class CollisionEnvClearance : public CollisionEnv {
public:
    // `robot` is that of the same URDF as `model`: clearance::Robot::from_urdf of the robot's description.
    CollisionEnvClearance(const moveit::core::RobotModelConstPtr &model, const WorldPtr &world, clearance::Robot robot,
                          double padding = 0, double scale = 1);
    ~CollisionEnvClearance() override;

    void checkSelfCollision(const CollisionRequest &, CollisionResult &, const State &) const override;
    void checkSelfCollision(const CollisionRequest &, CollisionResult &, const State &,
                            const AllowedCollisionMatrix &) const override;
    void checkRobotCollision(const CollisionRequest &, CollisionResult &, const State &) const override;
    void checkRobotCollision(const CollisionRequest &, CollisionResult &, const State &,
                             const AllowedCollisionMatrix &) const override;
    void checkRobotCollision(const CollisionRequest &, CollisionResult &, const State &, const State &,
                             const AllowedCollisionMatrix &) const override;
    void checkRobotCollision(const CollisionRequest &, CollisionResult &, const State &, const State &) const override;
    void distanceSelf(const DistanceRequest &, DistanceResult &, const State &) const override;
    void distanceRobot(const DistanceRequest &, DistanceResult &, const State &) const override;
    void setWorld(const WorldPtr &world) override;

protected:
    void updatedPaddingOrScaling(const std::vector<std::string> &links) override;

private:
    class Lease;
    void observe(const WorldPtr &world);
    void changed(const World::ObjectConstPtr &object, World::Action action);
    void rebuild();
    void check(const CollisionRequest &, CollisionResult &, const State &, const AllowedCollisionMatrix *,
               unsigned which) const;
    void measure(const DistanceRequest &, DistanceResult &, const State &, unsigned which) const;
    void edge(CollisionResult &, const State &, const State &, const AllowedCollisionMatrix *) const;

    clearance::Robot robot_;
    std::vector<std::string> links_, variables_;
    // The checker that others are cloned from, and clones that wait for the next question: one for each thread at a time.
    mutable std::mutex mutex_;
    std::unique_ptr<clearance::Checker> checker_;
    mutable std::vector<clearance::Checker> idle_;
    std::uint64_t generation_ = 0;
    World::ObserverHandle observer_;
    WorldPtr observed_;
};

} // namespace collision_detection
