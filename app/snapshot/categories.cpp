// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/categories.h"

#include "snapshot/annotation_ranges.h"
#include "snapshot/frame_text.h"
#include "snapshot/wrapping.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

namespace plimsoll {
namespace {

constexpr AllocationId kStopEvery = 1U << 16U; // allocations between two looks at the stop token

using Traits = std::uint16_t; // of a stack, of a moment
constexpr Traits kOptimizer = 1;
constexpr Traits kStateMaker = 2; // makes the optimizer's state
constexpr Traits kBackward = 4;
constexpr Traits kAccumulateGrad = 8;
constexpr Traits kZeroGrad = 16;
constexpr Traits kForward = 32;
constexpr Traits kWeights = 64;
constexpr Traits kCollective = 128;
constexpr Traits kWorkspace = 256;
constexpr Traits kInput = 512;

struct Mark
{
    std::string_view file; // parts, in lower case; both must be there
    std::string_view name;
    Traits traits;
};

constexpr std::array kMarks{
    Mark{"torch/optim/", "", kOptimizer},
    Mark{"apex/optimizers", "", kOptimizer},
    Mark{"deepspeed/ops/adam", "", kOptimizer},
    Mark{"bitsandbytes/optim", "", kOptimizer},
    Mark{"", "_init_group", kOptimizer | kStateMaker},
    Mark{"optim", "init_state", kOptimizer | kStateMaker},
    Mark{"", "zero_grad", kZeroGrad},
    Mark{"", "autograd::engine", kBackward},
    Mark{"", "backward0", kBackward},
    Mark{"", "compiledfunctionbackward", kBackward},
    Mark{"torch/autograd/__init__.py", "", kBackward},
    Mark{"torch/autograd/graph.py", "", kBackward},
    Mark{"torch/_tensor.py", "backward", kBackward},
    Mark{"", "accumulategrad", kBackward | kAccumulateGrad},
    Mark{"torch/nn/modules/module.py", "_call_impl", kForward},
    Mark{".py", "forward", kForward},
    Mark{"torch/nn/modules/module.py", "_apply", kWeights},
    Mark{"torch/nn/modules/module.py", "load_state_dict", kWeights},
    Mark{"torch/nn/modules/", "__init__", kWeights},
    Mark{"torch/nn/modules/", "reset_parameters", kWeights},
    Mark{"torch/nn/init.py", "", kWeights},
    Mark{"", "from_pretrained", kWeights},
    Mark{"torch/serialization.py", "", kWeights},
    Mark{"safetensors", "", kWeights},
    Mark{"", "processgroupnccl", kCollective},
    Mark{"", "c10d::", kCollective},
    Mark{"distributed_c10d.py", "", kCollective},
    Mark{"_functional_collectives", "", kCollective},
    Mark{"", "nccl", kCollective},
    Mark{"", "workspace", kWorkspace},
    Mark{"torch/utils/data", "", kInput},
    Mark{"", "pin_memory", kInput},
};

/// Which marks a text has: texts are shared by many frames, so each is looked at once.
class MarkedTexts
{
public:
    MarkedTexts(const MemorySnapshot &snapshot, std::string_view Mark::*part, bool isPath)
        : m_snapshot(snapshot), m_part(part), m_isPath(isPath), m_marks(snapshot.texts.size())
    {}
    std::uint64_t operator[](TextId id)
    {
        if (m_marks[id] == 0)
            m_marks[id] = look(id) | kLooked;
        return m_marks[id];
    }

private:
    static constexpr std::uint64_t kLooked = std::uint64_t{1} << 63U;
    static_assert(kMarks.size() < 63);

    [[nodiscard]] std::uint64_t look(TextId id) const
    {
        auto text = lowerCase(m_snapshot.texts[id]);
        if (m_isPath)
            std::replace(text.begin(), text.end(), '\\', '/');
        std::uint64_t marks = 0;
        for (std::size_t m = 0; m < kMarks.size(); ++m)
            if (const auto part = kMarks[m].*m_part; part.empty() || text.find(part) != std::string::npos)
                marks |= std::uint64_t{1} << m;
        return marks;
    }

    const MemorySnapshot &m_snapshot;
    std::string_view Mark::*m_part;
    bool m_isPath;
    std::vector<std::uint64_t> m_marks; // by text; 0: not looked at
};

std::vector<Traits> traitsOfStacks(const MemorySnapshot &snapshot, const std::stop_token &stop)
{
    const auto &stacks = snapshot.stacks;
    MarkedTexts files(snapshot, &Mark::file, true);
    MarkedTexts names(snapshot, &Mark::name, false);
    std::vector<Traits> ofFrame(stacks.frameCount());
    for (FrameId id = 0; id < ofFrame.size() && (id % 1024 != 0 || !stop.stop_requested()); ++id) {
        const auto &frame = stacks.frame(id);
        auto marks = files[frame.file] & names[frame.name] & ((std::uint64_t{1} << kMarks.size()) - 1);
        for (; marks != 0; marks &= marks - 1)
            ofFrame[id] = static_cast<Traits>(ofFrame[id] | kMarks[static_cast<std::size_t>(std::countr_zero(marks))].traits);
    }
    std::vector<Traits> ofStack(stacks.stackCount());
    for (StackId id = 0; id < ofStack.size() && (id % 4096 != 0 || !stop.stop_requested()); ++id) {
        const auto stack = stacks.stack(id);
        for (std::size_t i = 0; i < stack.size(); ++i)
            ofStack[id] = static_cast<Traits>(ofStack[id] | ofFrame[stack[i]]);
    }
    return ofStack;
}

std::optional<MemoryCategory> named(std::string_view text)
{
    const auto lower = lowerCase(text);
    if (lower == "parameter")
        return MemoryCategory::Weights;
    if (lower == "gradient")
        return MemoryCategory::Gradients;
    if (lower == "optimizer_state")
        return MemoryCategory::OptimizerState;
    if (lower == "activation" || lower == "autograd_detail")
        return MemoryCategory::Activations;
    if (lower == "temporary")
        return MemoryCategory::Temporaries;
    if (lower == "input")
        return MemoryCategory::Inputs;
    return std::nullopt;
}

/// The ranges in which a profiler said what was going on.
std::vector<Traits> traitsByRange(const Replay &replay)
{
    constexpr std::array<Traits, 3> kTraits{kOptimizer, kBackward, kForward};
    std::array<EventInstant, 3> covered{};
    std::vector<Traits> traits;
    if (!hasAnnotations(replay))
        return traits;
    const TimeAxis axis(replay);
    for (const auto &range : annotationRanges(replay, axis)) {
        const auto name = lowerCase(replay.snapshot().texts[range.name]);
        const auto which = name.find("optimizer.step") != std::string::npos ? 0U
            : name.find("backward") != std::string::npos                   ? 1U
            : name.find("forward") != std::string::npos                    ? 2U
                                                                           : 3U;
        if (which == 3)
            continue;
        traits.resize(std::size_t{replay.end()} + 1);
        // By begin: what earlier ranges covered is not gone over again.
        const auto end = std::min(range.end, replay.end());
        for (auto i = std::max(range.begin, covered[which]) + 1; i <= end; ++i)
            traits[i] = static_cast<Traits>(traits[i] | kTraits[which]);
        covered[which] = std::max(covered[which], end);
    }
    return traits;
}

} // namespace

std::string_view toString(MemoryCategory category) noexcept
{
    switch (category) {
    case MemoryCategory::Unknown: return "unknown";
    case MemoryCategory::Weights: return "weights";
    case MemoryCategory::Gradients: return "gradients";
    case MemoryCategory::OptimizerState: return "optimizer state";
    case MemoryCategory::Activations: return "activations";
    case MemoryCategory::Temporaries: return "temporaries";
    case MemoryCategory::Collectives: return "collectives";
    case MemoryCategory::Workspaces: return "workspaces";
    case MemoryCategory::Inputs: return "inputs";
    }
    return "unknown";
}

Categories::Categories(const Replay &replay, std::stop_token stop) : Categories(replay, findSteps(replay, stop), stop) {}

Categories::Categories(const Replay &replay, const Steps &steps, std::stop_token stop)
    : m_replay(&replay), m_ofStack(traitsOfStacks(replay.snapshot(), stop)), m_ofInstant(traitsByRange(replay))
{
    const auto &snapshot = replay.snapshot();
    const auto key = snapshot.texts.find("category");
    for (std::size_t c = 0; key != TextTable::kAbsent && c < snapshot.contexts.size(); ++c) {
        for (const auto &[name, value] : snapshot.contexts[c].attributes) {
            const auto category = name == key ? named(snapshot.texts[value]) : std::nullopt;
            if (!category)
                continue;
            m_said.resize(snapshot.contexts.size());
            m_said[c] = category;
        }
    }
    const auto births = replay.births();
    const auto stacks = replay.stacks();
    for (auto id = replay.beforeCount(); id < replay.size(); ++id) {
        if (id % kStopEvery == 0 && stop.stop_requested())
            break;
        if (((m_ofStack[stacks[id]] | traitsAt(births[id])) & kBackward) != 0)
            m_backward.push_back(births[id]);
    }
    const auto &starts = steps.starts;
    m_longLife = starts.size() >= 2 ? (starts.back() - starts.front()) / static_cast<EventInstant>(starts.size() - 1) : replay.end() / 2;
    if (stop.stop_requested()) {
        std::fill(m_ofStack.begin(), m_ofStack.end(), Traits{0});
        m_ofInstant.clear();
        m_said.clear();
    }
}

unsigned Categories::traitsAt(EventInstant instant) const noexcept
{
    return instant < m_ofInstant.size() ? m_ofInstant[instant] : 0U;
}

std::optional<MemoryCategory> Categories::said(AllocationId id) const noexcept
{
    if (m_said.empty() || m_replay->births()[id] == 0)
        return std::nullopt;
    return m_said[m_replay->snapshot().events.context[m_replay->rowOf(m_replay->births()[id])]];
}

MemoryCategory Categories::operator[](AllocationId id) const noexcept
{
    if (const auto category = said(id))
        return *category;
    const auto &replay = *m_replay;
    const auto birth = replay.births()[id];
    const auto death = replay.deaths()[id];
    const auto traits = m_ofStack[replay.stacks()[id]] | traitsAt(birth);
    if (replay.origin(id) == AllocationOrigin::BeforeFreed) {
        // Its stack tells who let go, not who made it: an optimizer replaces its state, zero_grad drops gradients.
        const auto freed = m_ofStack[replay.stacks()[id]] | traitsAt(death);
        if ((freed & kZeroGrad) != 0)
            return MemoryCategory::Gradients;
        return (freed & kOptimizer) != 0 ? MemoryCategory::OptimizerState : MemoryCategory::Unknown;
    }
    const bool isThere = death == replay.never(); // at the end
    const bool isLong = isThere || death - birth > m_longLife;
    const unsigned deathTraits = isThere ? 0U : m_ofStack[replay.snapshot().events.stack[replay.rowOf(death)]];
    if ((traits & kWorkspace) != 0)
        return MemoryCategory::Workspaces;
    if ((traits & kCollective) != 0)
        return MemoryCategory::Collectives;
    if ((traits & kOptimizer) != 0)
        return (traits & kStateMaker) != 0 || isLong ? MemoryCategory::OptimizerState : MemoryCategory::Temporaries;
    if ((traits & kBackward) != 0) {
        const bool isGradient = (traits & kAccumulateGrad) != 0 || (deathTraits & kZeroGrad) != 0 || isLong;
        return isGradient ? MemoryCategory::Gradients : MemoryCategory::Temporaries;
    }
    if ((traits & kInput) != 0)
        return MemoryCategory::Inputs;
    if ((traits & kForward) != 0) {
        // What lives across a backward pass was kept for it; without one so far, what is there waits for it.
        const auto next = std::upper_bound(m_backward.begin(), m_backward.end(), birth);
        const bool isKept = isThere || (deathTraits & kBackward) != 0 || (next != m_backward.end() && *next < death);
        return isKept ? MemoryCategory::Activations : MemoryCategory::Temporaries;
    }
    if ((traits & kWeights) != 0)
        return isLong ? MemoryCategory::Weights : MemoryCategory::Temporaries;
    return MemoryCategory::Unknown;
}

std::array<std::int64_t, kMemoryCategories> Categories::aliveAt(EventInstant instant) const
{
    std::array<std::int64_t, kMemoryCategories> bytes{};
    const auto sizes = m_replay->sizes();
    m_replay->forEachAlive(instant, [&](AllocationId id) {
        auto &sum = bytes[static_cast<std::size_t>((*this)[id])];
        sum = wrappingAdd(sum, static_cast<std::int64_t>(sizes[id]));
    });
    return bytes;
}

} // namespace plimsoll
