package group;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How many members of a group offer each assignor. Counts change with the members, so that a join costs no walk over the group. */
final class ProtocolVotes {
    private final Map<String, Integer> offers = new LinkedHashMap<>();

    void add(ClassicMember member) {
        member.protocolNames().forEach(name -> offers.merge(name, 1, Integer::sum));
    }

    void remove(ClassicMember member) {
        member.protocolNames()
                .forEach(name -> offers.computeIfPresent(name, (same, count) -> count == 1 ? null : count - 1));
    }

    /** Whether one of {@code protocols} is offered by all {@code members}. */
    boolean anyOfAll(List<ClassicProtocol> protocols, int members) {
        return protocols.stream().anyMatch(each -> ofAll(each.name(), members));
    }

    /** The assignor with the most votes; each member votes for the first it offers that all offer. Among equals the one first voted for. Null without members. */
    String winner(Collection<ClassicMember> members) {
        Map<String, Integer> votes = new LinkedHashMap<>();
        for (ClassicMember member : members) {
            for (String name : member.protocolNames()) {
                if (ofAll(name, members.size())) {
                    votes.merge(name, 1, Integer::sum);
                    break;
                }
            }
        }
        String winner = null;
        for (Map.Entry<String, Integer> each : votes.entrySet()) {
            if (winner == null || each.getValue() > votes.get(winner)) {
                winner = each.getKey();
            }
        }
        return winner;
    }

    private boolean ofAll(String name, int members) {
        return offers.getOrDefault(name, 0) == members;
    }
}
