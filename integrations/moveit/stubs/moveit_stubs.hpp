// Stubs of MoveIt 2, written from its documented public interface: what the adapter uses, and every pure virtual function of
// CollisionEnv. They are no part of MoveIt, and do nothing.
#pragma once

#include <Eigen/Geometry>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shapes {
enum ShapeType { UNKNOWN_SHAPE, SPHERE, CYLINDER, CONE, BOX, PLANE, MESH, OCTREE };
struct Shape {
    ShapeType type = UNKNOWN_SHAPE;
    virtual ~Shape() = default;
};
struct Sphere : Shape {
    double radius;
};
struct Cylinder : Shape {
    double length, radius;
};
struct Cone : Shape {
    double length, radius;
};
struct Box : Shape {
    double size[3];
};
struct Plane : Shape {
    double a, b, c, d;
};
struct Mesh : Shape {
    unsigned int vertex_count, triangle_count;
    double *vertices;
    unsigned int *triangles;
};
using ShapeConstPtr = std::shared_ptr<const Shape>;
} // namespace shapes

namespace EigenSTL {
using vector_Isometry3d = std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>>;
}

namespace moveit::core {
struct LinkModel {
    const std::string &getName() const;
};
struct JointModelGroup {
    const std::set<const LinkModel *> &getUpdatedLinkModelsSet() const;
};
struct RobotModel {
    bool hasJointModelGroup(const std::string &group) const;
    const JointModelGroup *getJointModelGroup(const std::string &group) const;
};
using RobotModelConstPtr = std::shared_ptr<const RobotModel>;
struct AttachedBody {
    const std::string &getName() const;
    const std::string &getAttachedLinkName() const;
    const std::vector<shapes::ShapeConstPtr> &getShapes() const;
    const EigenSTL::vector_Isometry3d &getShapePosesInLinkFrame() const;
    const std::set<std::string> &getTouchLinks() const;
};
struct RobotState {
    const Eigen::Isometry3d &getGlobalLinkTransform(const std::string &link) const;
    double getVariablePosition(const std::string &variable) const;
    void getAttachedBodies(std::vector<const AttachedBody *> &bodies) const;
};
} // namespace moveit::core

namespace collision_detection {
namespace BodyTypes {
enum Type { ROBOT_LINK, ROBOT_ATTACHED, WORLD_OBJECT };
}
using BodyType = BodyTypes::Type;

struct Contact {
    Eigen::Vector3d pos, normal;
    double depth;
    std::string body_name_1;
    BodyType body_type_1;
    std::string body_name_2;
    BodyType body_type_2;
    double percent_interpolation;
    Eigen::Vector3d nearest_points[2];
};
struct CollisionResult {
    using ContactMap = std::map<std::pair<std::string, std::string>, std::vector<Contact>>;
    bool collision = false;
    double distance = std::numeric_limits<double>::max();
    std::size_t contact_count = 0;
    ContactMap contacts;
};
struct CollisionRequest {
    std::string group_name;
    bool distance = false, cost = false, contacts = false;
    std::size_t max_contacts = 1, max_contacts_per_pair = 1;
    std::function<bool(const CollisionResult &)> is_done;
};
namespace AllowedCollision {
enum Type { NEVER, ALWAYS, CONDITIONAL };
}
struct AllowedCollisionMatrix {
    bool getAllowedCollision(const std::string &a, const std::string &b, AllowedCollision::Type &type) const;
};
namespace DistanceRequestTypes {
enum DistanceRequestType { GLOBAL, SINGLE, LIMITED, ALL };
}
using DistanceRequestType = DistanceRequestTypes::DistanceRequestType;
struct DistanceRequest {
    bool enable_nearest_points = false, enable_signed_distance = false;
    DistanceRequestType type = DistanceRequestType::GLOBAL;
    std::size_t max_contacts_per_body = 1;
    const std::set<const moveit::core::LinkModel *> *active_components_only = nullptr;
    const AllowedCollisionMatrix *acm = nullptr;
    double distance_threshold = std::numeric_limits<double>::max();
};
struct DistanceResultsData {
    double distance = std::numeric_limits<double>::max();
    Eigen::Vector3d nearest_points[2];
    std::string link_names[2];
    BodyType body_types[2];
    Eigen::Vector3d normal;
};
using DistanceMap = std::map<const std::pair<std::string, std::string>, std::vector<DistanceResultsData>>;
struct DistanceResult {
    bool collision = false;
    DistanceResultsData minimum_distance;
    DistanceMap distances;
};

struct World {
    struct Object {
        std::string id_;
        std::vector<shapes::ShapeConstPtr> shapes_;
        EigenSTL::vector_Isometry3d global_shape_poses_;
    };
    using ObjectConstPtr = std::shared_ptr<const Object>;
    enum ActionBits { UNINITIALIZED = 0, CREATE = 1, DESTROY = 2, MOVE_SHAPE = 4, ADD_SHAPE = 8, REMOVE_SHAPE = 16 };
    struct Action {
        operator ActionBits() const;
    };
    struct ObserverHandle {};
    using ObserverCallbackFn = std::function<void(const ObjectConstPtr &, Action)>;
    ObserverHandle addObserver(const ObserverCallbackFn &callback);
    void removeObserver(ObserverHandle observer);
    void notifyObserverAllObjects(ObserverHandle observer, Action action) const;
};
using WorldPtr = std::shared_ptr<World>;

class CollisionEnv {
public:
    using State = moveit::core::RobotState;
    CollisionEnv(const moveit::core::RobotModelConstPtr &model, const WorldPtr &world, double padding = 0, double scale = 1);
    virtual ~CollisionEnv() = default;
    virtual void checkSelfCollision(const CollisionRequest &, CollisionResult &, const State &) const = 0;
    virtual void checkSelfCollision(const CollisionRequest &, CollisionResult &, const State &,
                                    const AllowedCollisionMatrix &) const = 0;
    virtual void checkRobotCollision(const CollisionRequest &, CollisionResult &, const State &) const = 0;
    virtual void checkRobotCollision(const CollisionRequest &, CollisionResult &, const State &,
                                     const AllowedCollisionMatrix &) const = 0;
    virtual void checkRobotCollision(const CollisionRequest &, CollisionResult &, const State &, const State &,
                                     const AllowedCollisionMatrix &) const = 0;
    virtual void checkRobotCollision(const CollisionRequest &, CollisionResult &, const State &, const State &) const = 0;
    virtual void distanceSelf(const DistanceRequest &, DistanceResult &, const State &) const = 0;
    virtual void distanceRobot(const DistanceRequest &, DistanceResult &, const State &) const = 0;
    virtual void setWorld(const WorldPtr &world);
    const WorldPtr &getWorld();
    const std::map<std::string, double> &getLinkPadding() const;
    const std::map<std::string, double> &getLinkScale() const;

protected:
    virtual void updatedPaddingOrScaling(const std::vector<std::string> &links);
    moveit::core::RobotModelConstPtr robot_model_;
    std::map<std::string, double> link_padding_, link_scale_;
};
} // namespace collision_detection
