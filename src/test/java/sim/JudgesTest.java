package sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The judges themselves: each must refuse what breaks its rule. */
class JudgesTest {
    private final SimLife server = new SimLife("server");
    private final PartitionLedger ledger = new PartitionLedger("t", 0, true, false);
    private final List<PartitionLedger.Found> content = new ArrayList<>();

    JudgesTest() {
        for (int i = 0; i < 4; i++) {
            ledger.send("v" + i, true);
            ledger.ack("v" + i, i, server);
            content.add(found(i, "v" + i, i));
        }
        ledger.judge(0, content);
        SequenceJudge.recompute("t-0", content, true);
    }

    private static PartitionLedger.Found found(long offset, String value, int sequence) {
        return new PartitionLedger.Found(offset, value, 7, (short) 0, sequence, 100 + offset, offset);
    }

    private void broken(String rule) {
        assertEquals(
                rule,
                assertThrows(RuleBroken.class, () -> ledger.judge(0, content)).rule());
    }

    @Test
    void aLostAckIsFound() {
        content.remove(3);
        broken("I7 durable acks survive");
    }

    @Test
    void aDuplicateIsFound() {
        content.add(found(4, "v1", 4));
        broken("P7 no duplicates");
    }

    @Test
    void aHoleIsFound() {
        content.remove(1);
        broken("I11 offsets rise by one");
    }

    @Test
    void aChangedValueIsFound() {
        ledger.send("w", true);
        content.set(2, found(2, "w", 2));
        broken("V2 what was seen stays");
    }

    @Test
    void aRecordNobodySentIsFound() {
        content.add(found(4, "ghost", 4));
        broken("V2 only what was sent");
    }

    @Test
    void aRefusedRecordThatIsThereIsFound() {
        ledger.send("r", false);
        ledger.refuse("r");
        content.add(found(4, "r", 4));
        broken("V3 refused is not done");
    }

    @Test
    void twoOffsetsForOneRecordAreFound() {
        assertEquals(
                "P1 original offset",
                assertThrows(RuleBroken.class, () -> ledger.ack("v1", 9, server))
                        .rule());
    }

    @Test
    void aGapInSequencesIsFound() {
        content.set(3, found(3, "v3", 5));
        assertEquals(
                "P7 sequences",
                assertThrows(RuleBroken.class, () -> SequenceJudge.recompute("t-0", content, true))
                        .rule());
    }

    @Test
    void memoryAcksOfALostMachineDoNotCount() {
        PartitionLedger memory = new PartitionLedger("m", 0, false, false);
        memory.send("a", true);
        memory.ack("a", 0, server);
        server.endWithPower();
        memory.powerCut();
        memory.judge(0, List.of());
        memory.send("b", true);
        memory.ack("b", 0, server);
        memory.judge(0, List.of());
    }
}
