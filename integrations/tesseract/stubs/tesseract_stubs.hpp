// Stubs of Tesseract, written from its documented public interface: what the adapter uses, and every pure virtual function of
// DiscreteContactManager. They are no part of Tesseract, and do nothing.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tesseract_common {
using VectorIsometry3d = std::vector<Eigen::Isometry3d, Eigen::aligned_allocator<Eigen::Isometry3d>>;
using TransformMap = std::map<std::string, Eigen::Isometry3d, std::less<std::string>,
                              Eigen::aligned_allocator<std::pair<const std::string, Eigen::Isometry3d>>>;
struct ContactAllowedValidator {
    virtual ~ContactAllowedValidator() = default;
    virtual bool operator()(const std::string &a, const std::string &b) const = 0;
};
enum class CollisionMarginPairOverrideType { NONE, REPLACE, MODIFY };
struct CollisionMarginPairData {
    void setCollisionMargin(const std::string &a, const std::string &b, double margin);
};
struct CollisionMarginData {
    CollisionMarginData(double default_margin = 0);
    double getCollisionMargin(const std::string &a, const std::string &b) const;
    double getMaxCollisionMargin() const;
    void setDefaultCollisionMargin(double margin);
    void setCollisionMargin(const std::string &a, const std::string &b, double margin);
    void incrementMargins(double increment);
    void apply(const CollisionMarginPairData &pairs, CollisionMarginPairOverrideType type);
};
} // namespace tesseract_common

namespace tesseract_geometry {
enum class GeometryType { UNINITIALIZED, SPHERE, CYLINDER, CAPSULE, CONE, BOX, PLANE, MESH, CONVEX_MESH, SDF_MESH, OCTREE };
struct Geometry {
    using ConstPtr = std::shared_ptr<const Geometry>;
    virtual ~Geometry() = default;
    GeometryType getType() const;
};
struct Sphere : Geometry {
    double getRadius() const;
};
struct Box : Geometry {
    double getX() const, getY() const, getZ() const;
};
struct Cylinder : Geometry {
    double getRadius() const, getLength() const;
};
struct Capsule : Geometry {
    double getRadius() const, getLength() const;
};
struct Cone : Geometry {
    double getRadius() const, getLength() const;
};
struct PolygonMesh : Geometry {
    const std::shared_ptr<const std::vector<Eigen::Vector3d>> &getVertices() const;
    // A number of corners, then so many numbers of vertices, for each face.
    const std::shared_ptr<const Eigen::VectorXi> &getFaces() const;
};
} // namespace tesseract_geometry

namespace tesseract_collision {
using CollisionShapesConst = std::vector<tesseract_geometry::Geometry::ConstPtr>;
using tesseract_common::CollisionMarginData;
using tesseract_common::CollisionMarginPairData;
using tesseract_common::CollisionMarginPairOverrideType;

enum class ContactTestType { FIRST, CLOSEST, ALL, LIMITED };
struct ContactResult {
    double distance = std::numeric_limits<double>::max();
    std::array<int, 2> type_id{0, 0};
    std::array<std::string, 2> link_names;
    std::array<int, 2> shape_id{-1, -1}, subshape_id{-1, -1};
    std::array<Eigen::Vector3d, 2> nearest_points, nearest_points_local;
    std::array<Eigen::Isometry3d, 2> transform;
    Eigen::Vector3d normal;
    bool single_contact_point = false;
};
struct ContactResultMap {
    using KeyType = std::pair<std::string, std::string>;
    ContactResult &addContactResult(const KeyType &key, ContactResult result);
};
struct ContactRequest {
    ContactTestType type = ContactTestType::ALL;
    bool calculate_penetration = true, calculate_distance = true;
    long contact_limit = 0;
    std::function<bool(const ContactResult &)> is_valid;
};

class DiscreteContactManager {
public:
    using UPtr = std::unique_ptr<DiscreteContactManager>;
    using Validator = std::shared_ptr<const tesseract_common::ContactAllowedValidator>;
    virtual ~DiscreteContactManager() = default;
    virtual std::string getName() const = 0;
    virtual UPtr clone() const = 0;
    virtual bool addCollisionObject(const std::string &name, const int &mask_id, const CollisionShapesConst &shapes,
                                    const tesseract_common::VectorIsometry3d &shape_poses, bool enabled = true) = 0;
    virtual const CollisionShapesConst &getCollisionObjectGeometries(const std::string &name) const = 0;
    virtual const tesseract_common::VectorIsometry3d &
    getCollisionObjectGeometriesTransforms(const std::string &name) const = 0;
    virtual bool hasCollisionObject(const std::string &name) const = 0;
    virtual bool removeCollisionObject(const std::string &name) = 0;
    virtual bool enableCollisionObject(const std::string &name) = 0;
    virtual bool disableCollisionObject(const std::string &name) = 0;
    virtual bool isCollisionObjectEnabled(const std::string &name) const = 0;
    virtual void setCollisionObjectsTransform(const std::string &name, const Eigen::Isometry3d &pose) = 0;
    virtual void setCollisionObjectsTransform(const std::vector<std::string> &names,
                                              const tesseract_common::VectorIsometry3d &poses) = 0;
    virtual void setCollisionObjectsTransform(const tesseract_common::TransformMap &transforms) = 0;
    virtual const std::vector<std::string> &getCollisionObjects() const = 0;
    virtual void setActiveCollisionObjects(const std::vector<std::string> &names) = 0;
    virtual const std::vector<std::string> &getActiveCollisionObjects() const = 0;
    virtual void setCollisionMarginData(CollisionMarginData data) = 0;
    virtual const CollisionMarginData &getCollisionMarginData() const = 0;
    virtual void setCollisionMarginPairData(const CollisionMarginPairData &data, CollisionMarginPairOverrideType type =
                                                CollisionMarginPairOverrideType::REPLACE) = 0;
    virtual void setDefaultCollisionMargin(double margin) = 0;
    virtual void setCollisionMarginPair(const std::string &a, const std::string &b, double margin) = 0;
    virtual void incrementCollisionMargin(double increment) = 0;
    virtual void setContactAllowedValidator(Validator validator) = 0;
    virtual Validator getContactAllowedValidator() const = 0;
    virtual void contactTest(ContactResultMap &collisions, const ContactRequest &request) = 0;
};
} // namespace tesseract_collision
