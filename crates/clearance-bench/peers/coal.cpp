// coal, measured from C++ without Python in between. Reads commands on standard input, answers each with one line:
//   load FILE             a scene: counts, vertices, indices, poses (see coal.rs)     -> ok
//   sweep VOLUME QUERY    QUERY: distance | collide | penetration | build             -> microseconds a query (or a build)
//   answers VOLUME QUERY  QUERY: distance | collide | penetration                     -> one number a pose
//   boxes FILE            boxes: their number, half edges, centres (see boxes.rs)     -> ok
//   follow UPDATE FILE    UPDATE: refit | reinsert; centres of some ticks in FILE     -> microseconds for all ticks, pairs in all
// VOLUME is one of a hierarchy, or convex: then the bodies are the hulls that their triangles are taken for.
// Times are CPU time of the thread, the least of three repeats, or of those that fit into 50 ms. All work is done inside of libcoal.
#include <coal/BVH/BVH_model.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/collision.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Model = std::shared_ptr<coal::CollisionGeometry>;

struct Soup {
  std::vector<coal::Vec3s> vertices;
  std::vector<coal::Triangle> triangles;
};

struct Scene {
  Soup a, b;
  std::vector<coal::Transform3s> poses;  // of b in a's frame
  std::map<std::string, std::pair<Model, Model>> models;  // by volume, made when first asked for
};

template <typename T>
std::vector<T> read(std::istream& file, std::size_t count) {
  std::vector<T> values(count);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) throw std::runtime_error("the scene file is too short");
  return values;
}

Soup read_soup(std::istream& file, std::size_t vertices, std::size_t triangles) {
  Soup soup;
  const auto v = read<double>(file, 3 * vertices);
  for (std::size_t i = 0; i < v.size(); i += 3) soup.vertices.emplace_back(v[i], v[i + 1], v[i + 2]);
  const auto t = read<std::uint32_t>(file, 3 * triangles);
  for (std::size_t i = 0; i < t.size(); i += 3) soup.triangles.emplace_back(t[i], t[i + 1], t[i + 2]);
  return soup;
}

Scene load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  const auto counts = read<std::uint64_t>(file, 5);
  Scene scene;
  scene.a = read_soup(file, counts[0], counts[1]);
  scene.b = read_soup(file, counts[2], counts[3]);
  const auto rows = read<double>(file, 12 * counts[4]);
  for (std::size_t i = 0; i < rows.size(); i += 12) {
    coal::Matrix3s rotation;
    coal::Vec3s translation;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) rotation(r, c) = rows[i + 4 * r + c];
      translation[r] = rows[i + 4 * r + 3];
    }
    scene.poses.emplace_back(rotation, translation);
  }
  return scene;
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

Model build(const Soup& soup, const std::string& volume) {
  if (volume == "convex") return build_convex(soup);
  if (volume == "OBBRSS") return build_as<coal::OBBRSS>(soup);
  if (volume == "kIOS") return build_as<coal::kIOS>(soup);
  if (volume == "RSS") return build_as<coal::RSS>(soup);
  if (volume == "OBB") return build_as<coal::OBB>(soup);
  throw std::runtime_error("no volume is called " + volume);
}

std::pair<Model, Model>& models(Scene& scene, const std::string& volume) {
  auto found = scene.models.find(volume);
  if (found == scene.models.end()) {
    found = scene.models.emplace(volume, std::make_pair(build(scene.a, volume), build(scene.b, volume))).first;
  }
  return found->second;
}

enum class Query { collide, distance, penetration };

Query query_called(const std::string& name) {
  if (name == "collide") return Query::collide;
  return name == "penetration" ? Query::penetration : Query::distance;
}

double ask(const std::pair<Model, Model>& bodies, const coal::Transform3s& pose, Query query) {
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

double thread_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <typename Work>
double shortest_us(Work work) {
  double shortest = std::numeric_limits<double>::infinity();
  const auto start = std::chrono::steady_clock::now();
  // The first run finds the caches full of what others left there.
  for (int runs = 0; runs < 3 || std::chrono::steady_clock::now() - start < std::chrono::milliseconds(50); ++runs) {
    const double before = thread_seconds();
    work();
    shortest = std::min(shortest, thread_seconds() - before);
  }
  return 1e6 * shortest;
}

double sweep(Scene& scene, const std::string& volume, const std::string& query) {
  if (query == "build") return shortest_us([&] { build(scene.a, volume); });
  const auto& bodies = models(scene, volume);
  const Query asked = query_called(query);
  volatile double sink = 0.0;
  const double us = shortest_us([&] {
    for (const auto& pose : scene.poses) sink = sink + ask(bodies, pose, asked);
  });
  return us / static_cast<double>(scene.poses.size());
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
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  const std::size_t count = read<std::uint64_t>(file, 1)[0];
  const auto halves = read<double>(file, 3 * count), centers = read<double>(file, 3 * count);
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
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  const std::size_t ticks = read<std::uint64_t>(file, 1)[0], count = boxes.all.size();
  const auto centers = read<double>(file, 3 * count * ticks);
  Counter counter;
  const double before = thread_seconds();
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
  std::cout << 1e6 * (thread_seconds() - before) << ' ' << counter.pairs;
}

void serve() {
  Scene scene;
  std::unique_ptr<Boxes> boxes;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string command, first, second;
    words >> command;
    if (command == "load") {
      std::getline(words >> std::ws, first);
      scene = load(first);
      std::cout << "ok";
    } else if (command == "boxes") {
      std::getline(words >> std::ws, first);
      boxes = load_boxes(first);
      std::cout << "ok";
    } else if (command == "follow" && boxes) {
      words >> first;
      std::getline(words >> std::ws, second);
      follow(*boxes, first == "refit", second);
    } else if (words >> first >> second; command == "sweep") {
      std::cout << sweep(scene, first, second);
    } else if (command == "answers") {
      const auto& bodies = models(scene, first);
      for (const auto& pose : scene.poses) std::cout << ask(bodies, pose, query_called(second)) << ' ';
    } else {
      throw std::runtime_error("no command is called " + command);
    }
    std::cout << std::endl;
  }
}

}  // namespace

int main() {
  std::cout.precision(17);
  try {
    serve();
  } catch (const std::exception& error) {
    std::cerr << "coal harness: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
