// clearance as a DiscreteContactManager of Tesseract. Compiled against the stub headers beside it, which were written from
// Tesseract's documented interface; never run inside of Tesseract.
#pragma once

#if __has_include(<tesseract_collision/core/discrete_contact_manager.h>)
#include <tesseract_collision/core/discrete_contact_manager.h>
#include <tesseract_geometry/geometries.h>
#else
#include <tesseract_stubs.hpp>
#endif
#include <clearance.hpp>

#include <map>

namespace tesseract_collision {

class ClearanceDiscreteManager : public DiscreteContactManager {
public:
    using Names = std::vector<std::string>;
    using Poses = tesseract_common::VectorIsometry3d;
    using Allowed = std::shared_ptr<const tesseract_common::ContactAllowedValidator>;

    std::string getName() const override { return "ClearanceDiscreteManager"; }
    // Shares the geometries; pairs have memory of their own.
    std::unique_ptr<DiscreteContactManager> clone() const override;
    bool addCollisionObject(const std::string &name, const int &mask_id, const CollisionShapesConst &shapes,
                            const Poses &shape_poses, bool enabled = true) override;
    const CollisionShapesConst &getCollisionObjectGeometries(const std::string &name) const override;
    const Poses &getCollisionObjectGeometriesTransforms(const std::string &name) const override;
    bool hasCollisionObject(const std::string &name) const override { return objects_.count(name) > 0; }
    bool removeCollisionObject(const std::string &name) override;
    bool enableCollisionObject(const std::string &name) override { return set_enabled(name, true); }
    bool disableCollisionObject(const std::string &name) override { return set_enabled(name, false); }
    bool isCollisionObjectEnabled(const std::string &name) const override;
    void setCollisionObjectsTransform(const std::string &name, const Eigen::Isometry3d &pose) override;
    void setCollisionObjectsTransform(const Names &names, const Poses &poses) override;
    void setCollisionObjectsTransform(const tesseract_common::TransformMap &transforms) override;
    const Names &getCollisionObjects() const override { return names_; }
    void setActiveCollisionObjects(const Names &names) override { active_ = names; }
    const Names &getActiveCollisionObjects() const override { return active_; }
    void setCollisionMarginData(CollisionMarginData data) override { margins_ = std::move(data); }
    const CollisionMarginData &getCollisionMarginData() const override { return margins_; }
    void setCollisionMarginPairData(const CollisionMarginPairData &data, CollisionMarginPairOverrideType type) override {
        margins_.apply(data, type);
    }
    void setDefaultCollisionMargin(double margin) override { margins_.setDefaultCollisionMargin(margin); }
    void setCollisionMarginPair(const std::string &a, const std::string &b, double margin) override {
        margins_.setCollisionMargin(a, b, margin);
    }
    void incrementCollisionMargin(double increment) override { margins_.incrementMargins(increment); }
    void setContactAllowedValidator(Allowed validator) override { allowed_ = std::move(validator); }
    Allowed getContactAllowedValidator() const override { return allowed_; }
    void contactTest(ContactResultMap &collisions, const ContactRequest &request) override;

private:
    struct Part {
        clearance::Geometry geometry;
        Eigen::Isometry3d link_from_part;
        bool solid;
    };
    struct Object {
        int mask_id;
        CollisionShapesConst shapes;
        Poses shape_poses;
        std::vector<Part> parts;
        // All parts, for the broad phase.
        std::optional<clearance::Geometry> whole;
        bool enabled;
        Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    };
    bool set_enabled(const std::string &name, bool enabled);
    bool is_active(const std::string &name) const;
    // Whether the search goes on.
    bool test(ContactResultMap &, const ContactRequest &, const std::string &, const Object &, const std::string &,
              const Object &, long &found);

    std::map<std::string, Object> objects_;
    // The pairs of parts that were asked about, with their warm starts.
    std::map<std::array<const void *, 2>, clearance::Pair> pairs_;
    Names names_, active_;
    CollisionMarginData margins_;
    Allowed allowed_;
};

} // namespace tesseract_collision
