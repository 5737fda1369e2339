// coal, measured from C++ without Python in between; all work is done inside of libcoal. Commands are those of harness.hpp, and
//   boxes FILE            boxes: their number, half edges, centres (see boxes.rs)     -> ok
//   follow UPDATE FILE    UPDATE: refit | reinsert; centres of some ticks in FILE     -> microseconds for all ticks, pairs in all
// METHOD is the volume of a hierarchy, or convex: then the bodies are the hulls that their triangles are taken for.
#include "harness.hpp"

#include <coal/BVH/BVH_model.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/collision.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include <memory>

namespace {

using harness::Query;

struct Coal {
  using Vertex = coal::Vec3s;
  using Triangle = coal::Triangle;
  using Pose = coal::Transform3s;
  using Model = std::shared_ptr<coal::CollisionGeometry>;

  static Pose pose(const double* rows);
  static Model build(const harness::Soup<Coal>& soup, const std::string& volume);
  static double ask(const std::pair<Model, Model>& bodies, const Pose& pose, Query query);
};

using Model = Coal::Model;
using Soup = harness::Soup<Coal>;

coal::Transform3s Coal::pose(const double* rows) {
  coal::Matrix3s rotation;
  coal::Vec3s translation;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) rotation(r, c) = rows[4 * r + c];
    translation[r] = rows[4 * r + 3];
  }
  return coal::Transform3s(rotation, translation);
}

template <typename BV>
Model build_as(const Soup& soup) {
  auto model = std::make_shared<coal::BVHModel<BV>>();
  model->beginModel(static_cast<unsigned>(soup.triangles.size()), static_cast<unsigned>(soup.vertices.size()));
  model->addSubModel(soup.vertices, soup.triangles);
  model->endModel();
  return model;
}

Model build_convex(const Soup& soup) {
  const auto vertices = std::make_shared<std::vector<coal::Vec3s>>(soup.vertices);
  const auto triangles = std::make_shared<std::vector<coal::Triangle>>(soup.triangles);
  return std::make_shared<coal::Convex<coal::Triangle>>(vertices, static_cast<unsigned>(vertices->size()), triangles,
                                                        static_cast<unsigned>(triangles->size()));
}

Model Coal::build(const Soup& soup, const std::string& volume) {
  if (volume == "convex") return build_convex(soup);
  if (volume == "OBBRSS") return build_as<coal::OBBRSS>(soup);
  if (volume == "kIOS") return build_as<coal::kIOS>(soup);
  if (volume == "RSS") return build_as<coal::RSS>(soup);
  if (volume == "OBB") return build_as<coal::OBB>(soup);
  throw std::runtime_error("no volume is called " + volume);
}

double Coal::ask(const std::pair<Model, Model>& bodies, const coal::Transform3s& pose, Query query) {
  const coal::Transform3s identity;
  if (query == Query::collide) {
    // The default: stop at the first contact. (Without its points it takes as long, measured.)
    coal::CollisionRequest request;
    // Convex bodies would be measured, not only tested.
    if (bodies.first->getObjectType() == coal::OT_GEOM) request.enable_contact = false;
    coal::CollisionResult result;
    coal::collide(bodies.first.get(), identity, bodies.second.get(), pose, request, result);
    return result.isCollision() ? 1.0 : 0.0;
  }
  coal::DistanceRequest request;
  coal::DistanceResult result;
  coal::distance(bodies.first.get(), identity, bodies.second.get(), pose, request, result);
  return std::max(query == Query::penetration ? -result.min_distance : result.min_distance, 0.0);
}

// Boxes in coal's dynamic tree.
struct Boxes {
  std::vector<std::unique_ptr<coal::CollisionObject>> objects;
  std::vector<coal::CollisionObject*> all;
  coal::DynamicAABBTreeCollisionManager manager;
};

// Counts the pairs whose boxes overlap; nothing more is asked of them.
struct Counter : coal::CollisionCallBackBase {
  std::size_t pairs = 0;
  bool collide(coal::CollisionObject*, coal::CollisionObject*) override {
    ++pairs;
    return false;
  }
};

std::unique_ptr<Boxes> load_boxes(const std::string& path) {
  std::ifstream file = harness::open(path);
  const std::size_t count = harness::read<std::uint64_t>(file, 1)[0];
  const auto halves = harness::read<double>(file, 3 * count), centers = harness::read<double>(file, 3 * count);
  auto boxes = std::make_unique<Boxes>();
  for (std::size_t i = 0; i < 3 * count; i += 3) {
    const auto box = std::make_shared<coal::Box>(2 * halves[i], 2 * halves[i + 1], 2 * halves[i + 2]);
    const coal::Vec3s center(centers[i], centers[i + 1], centers[i + 2]);
    boxes->objects.push_back(std::make_unique<coal::CollisionObject>(box, coal::Matrix3s::Identity(), center));
    boxes->all.push_back(boxes->objects.back().get());
  }
  boxes->manager.registerObjects(boxes->all);
  boxes->manager.setup();
  return boxes;
}

void follow(Boxes& boxes, bool refit, const std::string& path) {
  std::ifstream file = harness::open(path);
  const std::size_t ticks = harness::read<std::uint64_t>(file, 1)[0], count = boxes.all.size();
  const auto centers = harness::read<double>(file, 3 * count * ticks);
  Counter counter;
  const double before = harness::thread_seconds();
  for (std::size_t tick = 0; tick < ticks; ++tick) {
    const double* center = centers.data() + 3 * count * tick;
    for (std::size_t i = 0; i < count; ++i, center += 3) {
      boxes.all[i]->setTranslation(coal::Vec3s(center[0], center[1], center[2]));
      boxes.all[i]->computeAABB();
    }
    if (refit) {
      boxes.manager.update();
    } else {
      boxes.manager.update(boxes.all);
    }
    boxes.manager.collide(&counter);
  }
  std::cout << 1e6 * (harness::thread_seconds() - before) << ' ' << counter.pairs;
}

}  // namespace

int main() {
  std::unique_ptr<Boxes> boxes;
  const auto take = [&](std::istream& words) {
    boxes = load_boxes(harness::rest(words));
    std::cout << "ok";
  };
  const auto move = [&](std::istream& words) {
    std::string update;
    words >> update;
    if (!boxes) throw std::runtime_error("there are no boxes to follow");
    follow(*boxes, update == "refit", harness::rest(words));
  };
  return harness::serve<Coal>("coal", {{"boxes", take}, {"follow", move}});
}
