package sim;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What members of one classic group were told, put together (rules G3, G4): one member list and one assignment per generation; generations rise. */
final class GenerationJudge {
    private final String group;
    private final Map<Integer, Generation> generations = new TreeMap<>();
    private final Map<String, Map<String, String>> proposals = new LinkedHashMap<>();
    private final Map<String, String> staticMembers = new LinkedHashMap<>();
    private int newest = -1;

    private static final class Generation {
        private List<String> members;
        private String proposal;
    }

    GenerationJudge(String group) {
        this.group = group;
    }

    /** The newest generation that anybody was told of; -1 for none. */
    int newest() {
        return newest;
    }

    /** The member id that was told last to hold an instance id; null for none. */
    String holder(String instanceId) {
        return staticMembers.get(instanceId);
    }

    /**
     * A member was let in.
     *
     * @param member its id
     * @param newestBefore {@link #newest} when it asked
     * @param members sorted ids or instance ids, null when it was not told
     */
    void joined(int generation, String member, String instanceId, List<String> members, int newestBefore) {
        if (generation < newestBefore) {
            throw broken("G3 generations rise", generation, member + " was let in after generation " + newestBefore);
        }
        Generation known = generations.computeIfAbsent(generation, key -> new Generation());
        if (members != null && known.members == null) {
            known.members = members;
        } else if (members != null && !known.members.equals(members)) {
            throw broken("G3 a generation number is used once", generation, known.members + " and " + members);
        }
        String place = instanceId == null ? member : instanceId;
        if (known.members != null && !known.members.contains(place)) {
            throw broken("G3 a generation number is used once", generation, known.members + " and " + place);
        }
        if (instanceId != null) {
            staticMembers.put(instanceId, member);
        }
        newest = Math.max(newest, generation);
    }

    /** A leader sends what each member shall get; {@code proposal} names it and is inside of each assignment. */
    void proposed(String proposal, Map<String, byte[]> assignments) {
        Map<String, String> texts = new LinkedHashMap<>();
        assignments.forEach((member, bytes) -> texts.put(member, text(bytes)));
        proposals.put(proposal, texts);
    }

    /** A member was given something. */
    void assigned(int generation, String place, String proposal, byte[] assignment) {
        Map<String, String> texts = proposals.get(proposal);
        Generation known = generations.get(generation);
        if (texts == null || known == null) {
            throw broken("G4 what the leader said", generation, place + " got " + proposal + ", which no leader sent");
        }
        if (!proposal.startsWith(generation + "#")) {
            throw broken("G4 assignment of its generation", generation, place + " got " + proposal);
        }
        if (!text(assignment).equals(texts.get(place))) {
            throw broken("G4 what the leader said", generation, place + " got other bytes of " + proposal);
        }
        if (known.proposal != null && !known.proposal.equals(proposal)) {
            throw broken("G4 one assignment a generation", generation, known.proposal + " and " + proposal);
        }
        known.proposal = proposal;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private RuleBroken broken(String rule, int generation, String what) {
        return new RuleBroken(rule, group + " generation " + generation + ": " + what);
    }
}
