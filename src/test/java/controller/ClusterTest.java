package controller;

import static controller.ClusterLab.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import metadata.MetadataImage.Eligible;
import metadata.MetadataImage.PartitionImage;
import metadata.MetadataImage.Reassignment;
import metadata.ReassignmentList;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AllocateProducerIdsRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.BrokerRegistrationResponseData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the controller decides for several brokers: rules C1 to C6 and I14 by example. */
class ClusterTest {

    private ClusterLab lab;

    @BeforeEach
    void threeBrokers() {
        lab = new ClusterLab(1);
        lab.start(1);
        lab.start(2);
        lab.start(3);
    }

    private static Errors error(BrokerRegistrationResponseData answer) {
        return Errors.forCode(answer.errorCode());
    }

    @Test
    void aBrokerIsFencedUntilItHasCaughtUp() {
        BrokerRegistrationResponseData answer = lab.register(lab.registration(4, -1));
        assertEquals(lab.image().broker(4).epoch(), answer.brokerEpoch(), "C1: the offset of its record");
        assertTrue(lab.image().broker(4).fenced());
        BrokerHeartbeatResponseData behind = lab.commit(
                lab.machine.heartbeat(lab.beat(4).setCurrentMetadataOffset(answer.brokerEpoch() - 1), lab.now));
        assertTrue(behind.isFenced() && !behind.isCaughtUp());
        BrokerHeartbeatResponseData wantsFence =
                lab.commit(lab.machine.heartbeat(lab.beat(4).setWantFence(true), lab.now));
        assertTrue(wantsFence.isFenced() && wantsFence.isCaughtUp());
        BrokerHeartbeatResponseData ready = lab.heartbeat(4);
        assertTrue(!ready.isFenced() && ready.isCaughtUp());
        assertFalse(lab.image().broker(4).fenced());
        BrokerHeartbeatResponseData stale =
                lab.commit(lab.machine.heartbeat(lab.beat(4).setBrokerEpoch(answer.brokerEpoch() - 1), lab.now));
        assertEquals(Errors.STALE_BROKER_EPOCH.code(), stale.errorCode());
        BrokerHeartbeatResponseData stranger =
                lab.commit(lab.machine.heartbeat(lab.beat(4).setBrokerId(9), lab.now));
        assertEquals(Errors.STALE_BROKER_EPOCH.code(), stranger.errorCode());
    }

    @Test
    void registrationsAreRefusedAsInKafka() {
        assertEquals(
                Errors.INCONSISTENT_CLUSTER_ID,
                error(lab.register(lab.registration(4, -1).setClusterId("other"))));
        assertEquals(Errors.DUPLICATE_BROKER_REGISTRATION, error(lab.register(lab.registration(3, -1))));
        assertEquals(
                Errors.INVALID_REGISTRATION,
                error(lab.register(lab.registration(4, -1).setLogDirs(List.of()))));
        assertEquals(
                Errors.INVALID_REGISTRATION,
                error(lab.register(lab.registration(4, -1).setLogDirs(List.of(Uuid.ZERO_UUID)))));
        assertEquals(
                Errors.INVALID_REGISTRATION,
                error(lab.register(lab.registration(4, -1).setLogDirs(List.of(new Uuid(5, 5), new Uuid(5, 5))))));
        assertEquals(
                Errors.INVALID_REGISTRATION,
                error(lab.register(lab.registration(4, -1).setLogDirs(List.of(ClusterLab.directory(3))))));
        assertEquals(
                Errors.BROKER_ID_NOT_REGISTERED,
                error(lab.register(lab.registration(4, -1).setIsMigratingZkBroker(true))));
        BrokerRegistrationRequestData old = lab.registration(4, -1);
        old.features().find("metadata.version").setMaxSupportedVersion((short) 30);
        assertEquals(Errors.UNSUPPORTED_VERSION, error(lab.register(old)));
        BrokerRegistrationRequestData without = lab.registration(4, -1);
        without.features().remove(without.features().find("metadata.version"));
        assertEquals(Errors.INVALID_REGISTRATION, error(lab.register(without)));
        assertNull(lab.image().broker(4));
    }

    @Test
    void aRepeatedRegistrationKeepsItsEpoch() {
        BrokerRegistrationRequestData request = lab.registration(4, -1);
        long epoch = lab.register(request).brokerEpoch();
        long version = lab.image().version();
        assertEquals(epoch, lab.register(request).brokerEpoch());
        assertEquals(version, lab.image().version(), "C9: nothing is written twice");
        lab.heartbeat(4);
        assertEquals(epoch, lab.register(request.setRack("r")).brokerEpoch());
        assertEquals("r", lab.image().broker(4).rack());
        assertFalse(lab.image().broker(4).fenced());
    }

    @Test
    void aBrokerThatIsNotHeardOfLosesEverything() {
        lab.create("t", List.of(List.of(1, 2, 3), List.of(2, 3, 1)));
        PartitionImage before = lab.partition("t");
        lab.lose(1);
        assertTrue(lab.image().broker(1).fenced());
        PartitionImage after = lab.partition("t");
        assertEquals(2, after.leader());
        assertEquals(List.of(2, 3), after.isr());
        assertEquals(before.leaderEpoch() + 1, after.leaderEpoch());
        assertEquals(before.partitionEpoch() + 1, after.partitionEpoch());
        PartitionImage follower = lab.partition("t", 1);
        assertEquals(List.of(2, 3), follower.isr());
        assertEquals(0, follower.leaderEpoch());
        lab.start(1, -1, "boot");
        assertEquals(Errors.NONE, lab.alter(lab.proposal("t", List.of(2, 3, 1))));
        assertEquals(List.of(2, 3, 1), lab.partition("t").isr());
        assertEquals(2, lab.partition("t").leader());
        assertEquals(Errors.NONE, lab.elect("t", 0));
        assertEquals(1, lab.partition("t").leader());
    }

    @Test
    void aNewControllerGivesEachBrokerAWholeSession() {
        lab.now += 2 * SECOND;
        lab.failOver();
        for (int i = 0; i < 2; i++) {
            lab.now += SECOND;
            assertFalse(lab.commit(lab.machine.fenceStale(lab.now)));
        }
        lab.now += SECOND;
        assertTrue(lab.commit(lab.machine.fenceStale(lab.now)), "one at a time");
        assertEquals(
                2, lab.image().brokers().stream().filter(each -> !each.fenced()).count());
        while (lab.commit(lab.machine.fenceStale(lab.now))) {}
        assertTrue(lab.image().brokers().stream().allMatch(each -> each.fenced()));
    }

    /** Of several that could lead, one that has just died as well is not chosen. */
    @Test
    void whoWasHeardOfLatelyIsPreferred() {
        lab.create("t", List.of(List.of(1, 2, 3)));
        lab.pass(2, 3);
        lab.now += SECOND;
        assertTrue(lab.commit(lab.machine.fenceStale(lab.now)));
        assertEquals(3, lab.partition("t").leader());
    }

    @Test
    void aProcessThatIsGoneIsFencedAtOnce() {
        lab.create("t", List.of(List.of(1, 2)));
        assertFalse(lab.commit(lab.machine.fence(1, lab.image().broker(1).epoch() - 1)), "an older process");
        assertTrue(lab.commit(lab.machine.fence(1, lab.image().broker(1).epoch())));
        assertEquals(2, lab.partition("t").leader());
        lab.start(1, -1, "boot");
    }

    @Test
    void controlledShutdownMovesLeadershipsFirst() {
        lab.create("t", List.of(List.of(1, 2, 3)));
        BrokerHeartbeatResponseData first =
                lab.commit(lab.machine.heartbeat(lab.beat(1).setWantShutDown(true), lab.now));
        assertFalse(first.shouldShutDown());
        assertEquals(2, lab.partition("t").leader());
        assertEquals(List.of(2, 3), lab.partition("t").isr());
        assertTrue(lab.image().broker(1).inControlledShutdown());
        assertEquals(Errors.INELIGIBLE_REPLICA, lab.alter(lab.proposal("t", List.of(2, 3, 1))));
        assertFalse(
                lab.commit(lab.machine.heartbeat(lab.beat(1).setWantShutDown(true), lab.now))
                        .shouldShutDown(),
                "the others do not know yet");
        lab.heartbeat(2);
        lab.heartbeat(3);
        BrokerHeartbeatResponseData last =
                lab.commit(lab.machine.heartbeat(lab.beat(1).setWantShutDown(true), lab.now));
        assertTrue(last.shouldShutDown() && last.isFenced());
        assertTrue(lab.image().broker(1).fenced() && !lab.image().broker(1).inControlledShutdown());
        lab.start(1);
    }

    @Test
    void aBrokerThatHoldsNothingEndsAtOnce() {
        assertTrue(lab.commit(lab.machine.heartbeat(lab.beat(1).setWantShutDown(true), lab.now))
                .shouldShutDown());
    }

    /** C5: isolate one, then another; the last one loses what it did not sync. Who left before has everything that was committed. */
    @Test
    void lastReplicaStanding() {
        lab.create("t", List.of(List.of(1, 2, 3)));
        lab.set("t", "min.insync.replicas", "2");
        lab.lose(3);
        lab.lose(2);
        assertEquals(
                new Eligible(List.of(2), List.of(), false), lab.partition("t").eligible());
        lab.lose(1);
        assertEquals(-1, lab.partition("t").leader());
        assertEquals(
                new Eligible(List.of(2, 1), List.of(), false),
                lab.partition("t").eligible());
        lab.start(1, -1, "after the power cut");
        assertEquals(-1, lab.partition("t").leader(), "it may have lost some");
        assertEquals(
                new Eligible(List.of(2), List.of(1), false), lab.partition("t").eligible());
        lab.start(3, -1, "boot");
        assertEquals(-1, lab.partition("t").leader(), "it left an ISR that was large enough");
        lab.start(2, -1, "boot");
        assertEquals(2, lab.partition("t").leader(), "the page cache survived its process");
        assertEquals(List.of(2), lab.partition("t").isr());
        assertFalse(lab.partition("t").eligible().recovering());
    }

    /** C3, C4: after a power cut of all, whoever has the most leads, once all are there. */
    @Test
    void powerCutOfAll() {
        lab.create("t", List.of(List.of(1, 2)));
        lab.set("t", "min.insync.replicas", "2");
        lab.create("alone", List.of(List.of(1)));
        lab.create("synced", List.of(List.of(1, 2)));
        lab.set("synced", "flush.messages", "1");
        lab.lose(1);
        lab.lose(2);
        lab.start(1, -1, "b");
        assertEquals(1, lab.partition("alone").leader());
        assertTrue(lab.partition("alone").eligible().recovering());
        assertEquals(-1, lab.partition("t").leader());
        Uuid id = lab.image().topic("t").id();
        long first = lab.image().broker(1).epoch();
        List<ReplicaEnd> longer = List.of(new ReplicaEnd(id, 0, 3, 10));
        assertEquals(0, lab.commit(lab.machine.recover(1, first, longer)), "broker 2 may have everything");
        lab.start(2, -1, "b");
        assertEquals(2, lab.partition("synced").leader());
        assertFalse(lab.partition("synced").eligible().recovering());
        long second = lab.image().broker(2).epoch();
        List<ReplicaEnd> later = List.of(new ReplicaEnd(id, 0, 4, 5));
        assertEquals(0, lab.commit(lab.machine.recover(2, second, later)));
        assertEquals(0, lab.commit(lab.machine.recover(1, first - 1, longer)), "an older process");
        assertEquals(1, lab.commit(lab.machine.recover(1, first, longer)));
        assertEquals(2, lab.partition("t").leader(), "the later epoch counts before the offset");
        assertTrue(lab.partition("t").eligible().recovering());
        assertEquals(Errors.INVALID_REQUEST, lab.alter(recovering(lab.proposal("t", List.of(2, 1)), 1)));
        assertEquals(Errors.NONE, lab.alter(recovering(lab.proposal("t", List.of(2)), 1)));
        assertEquals(Errors.NONE, lab.alter(lab.proposal("t", List.of(2, 1))));
        assertFalse(lab.partition("t").eligible().recovering());
        assertEquals(Errors.INVALID_REQUEST, lab.alter(recovering(lab.proposal("t", List.of(2)), 1)), "no way back");
    }

    private static AlterPartitionRequestData recovering(AlterPartitionRequestData request, int state) {
        request.topics().get(0).partitions().get(0).setLeaderRecoveryState((byte) state);
        return request;
    }

    @Test
    void aCleanEndLosesNothingWhateverTheBoot() {
        lab.create("t", List.of(List.of(1)));
        lab.lose(1);
        long epoch = lab.image().broker(1).epoch();
        lab.start(1, epoch, "b");
        assertFalse(lab.partition("t").eligible().recovering());
        // It ended before it wrote anything: the mark of the clean end before is still there.
        lab.lose(1);
        lab.start(1, epoch, "c");
        assertFalse(lab.partition("t").eligible().recovering());
        lab.lose(1);
        BrokerRegistrationRequestData otherDisk =
                lab.registration(1, lab.image().broker(1).epoch()).setLogDirs(List.of(new Uuid(6, 6)));
        lab.register(otherDisk);
        lab.heartbeat(1);
        assertEquals(-1, lab.partition("t").leader(), "the directory is not there");
        lab.assign(1, new Uuid(6, 6), "t");
        assertEquals(1, lab.partition("t").leader());
        assertTrue(lab.partition("t").eligible().recovering(), "another directory is another disk");
    }

    /** KIP-858: what lies in a directory that broke moves away if anybody can take over; what lies in the others stays. */
    @Test
    void aBrokenDirectoryLosesItsLeaderships() {
        threeBrokers();
        lab.register(lab.registration(4, -1).setLogDirs(List.of(ClusterLab.directory(4), new Uuid(6, 6))));
        lab.heartbeat(4);
        lab.create("t", List.of(List.of(4, 1), List.of(4, 1)));
        lab.create("sole", List.of(List.of(4), List.of(4)));
        Uuid broken = lab.partition("t").directory(4);
        assertFalse(broken.equals(lab.partition("t", 1).directory(4)), "one in each");
        BrokerHeartbeatResponseData answer = break4(broken);
        assertEquals(Errors.NONE.code(), answer.errorCode());
        assertFalse(answer.isFenced());
        assertEquals(1, lab.partition("t").leader());
        assertEquals(List.of(1), lab.partition("t").isr());
        assertEquals(4, lab.partition("t", 1).leader());
        assertEquals(4, lab.partition("sole").leader(), "nobody can take over");
        assertEquals(4, lab.partition("sole", 1).leader());
        assertFalse(lab.image().broker(4).logDirs().contains(broken));
        assertEquals(Errors.INELIGIBLE_REPLICA, lab.alter(lab.proposal("t", List.of(1, 4))));
        long version = lab.image().version();
        break4(broken);
        assertEquals(version, lab.image().version());
    }

    private BrokerHeartbeatResponseData break4(Uuid directory) {
        var told = lab.beat(4).setOfflineLogDirs(List.of(directory));
        return lab.commit(lab.machine.heartbeat(told, lab.now));
    }

    @Test
    void uncleanElectionOnlyWhereAllowed() {
        lab.create("t", List.of(List.of(1, 2)));
        lab.lose(2);
        lab.lose(1);
        lab.start(2, -1, "boot");
        assertEquals(-1, lab.partition("t").leader(), "C5: only who was in the ISR last");
        lab.set("t", "unclean.leader.election.enable", "true");
        assertEquals(2, lab.partition("t").leader());
        assertEquals(
                new Eligible(List.of(), List.of(), true), lab.partition("t").eligible());
    }

    @Test
    void uncleanElectionByRequest() {
        lab.create("t", List.of(List.of(1, 2)));
        assertEquals(Errors.ELECTION_NOT_NEEDED, lab.elect("t", 1));
        assertEquals(Errors.ELECTION_NOT_NEEDED, lab.elect("t", 0));
        lab.lose(2);
        lab.lose(1);
        assertEquals(Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE, lab.elect("t", 1));
        assertEquals(Errors.PREFERRED_LEADER_NOT_AVAILABLE, lab.elect("t", 0));
        lab.start(2, -1, "boot");
        assertEquals(Errors.NONE, lab.elect("t", 1));
        assertEquals(2, lab.partition("t").leader());
        assertTrue(lab.partition("t").eligible().recovering());
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, lab.elect("u", 1));
    }

    /** A lower minimum makes what is committed now count: who left may lack it. */
    @Test
    void anotherMinimumChangesWhoIsEligible() {
        lab.create("t", List.of(List.of(1, 2, 3)));
        lab.set("", "min.insync.replicas", "2");
        lab.lose(3);
        lab.lose(2);
        assertEquals(List.of(2), lab.partition("t").eligible().elr());
        lab.set("", "min.insync.replicas", "1");
        assertEquals(Eligible.ISR_ONLY, lab.partition("t").eligible());
        lab.lose(1);
        assertEquals(List.of(1), lab.partition("t").eligible().elr());
        lab.start(2, -1, "boot");
        assertEquals(-1, lab.partition("t").leader());
    }

    @Test
    void withoutEligibleReplicasTheLastMemberIsWaitedFor() {
        lab.elr(false);
        lab.create("t", List.of(List.of(1, 2)));
        lab.lose(2);
        lab.lose(1);
        assertEquals(-1, lab.partition("t").leader());
        assertEquals(List.of(1), lab.partition("t").isr());
        lab.start(2, -1, "boot");
        assertEquals(-1, lab.partition("t").leader());
        lab.start(1, -1, "other");
        assertEquals(1, lab.partition("t").leader());
    }

    /** C6, in its order: each request is wrong in all later ways, too. */
    @Test
    void alterPartitionIsCheckedInOrder() {
        lab.create("t", List.of(List.of(1, 2)));
        lab.lose(2);
        AlterPartitionRequestData request = lab.proposal("t", List.of(3));
        AlterPartitionRequestData.TopicData topic = request.topics().get(0);
        AlterPartitionRequestData.PartitionData data = topic.partitions().get(0);
        PartitionImage now = lab.partition("t");
        request.setBrokerId(3).setBrokerEpoch(5);
        data.setPartitionIndex(7).setLeaderEpoch(now.leaderEpoch() + 1).setPartitionEpoch(now.partitionEpoch() - 1);
        Uuid id = topic.topicId();
        topic.setTopicId(new Uuid(4, 4));
        assertEquals(Errors.STALE_BROKER_EPOCH, lab.alter(request));
        request.setBrokerEpoch(lab.image().broker(3).epoch());
        assertEquals(Errors.UNKNOWN_TOPIC_ID, lab.alter(request));
        topic.setTopicId(id);
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, lab.alter(request));
        data.setPartitionIndex(0);
        assertEquals(Errors.NOT_CONTROLLER, lab.alter(request));
        data.setLeaderEpoch(now.leaderEpoch() - 1).setPartitionEpoch(now.partitionEpoch() + 1);
        assertEquals(Errors.NOT_CONTROLLER, lab.alter(request));
        data.setPartitionEpoch(now.partitionEpoch() - 1);
        assertEquals(Errors.FENCED_LEADER_EPOCH, lab.alter(request));
        data.setLeaderEpoch(now.leaderEpoch());
        assertEquals(Errors.INVALID_REQUEST, lab.alter(request));
        request.setBrokerId(1).setBrokerEpoch(lab.image().broker(1).epoch());
        assertEquals(Errors.INVALID_UPDATE_VERSION, lab.alter(request));
        assertEquals(Errors.INVALID_REQUEST, lab.alter(lab.proposal("t", List.of(1, 3))), "no replica");
        assertEquals(Errors.INVALID_REQUEST, lab.alter(lab.proposal("t", List.of(2))), "without its leader");
        assertEquals(Errors.INELIGIBLE_REPLICA, lab.alter(lab.proposal("t", List.of(1, 2))), "fenced");
        lab.start(2);
        AlterPartitionRequestData older = lab.proposal("t", List.of(1, 2));
        AlterPartitionRequestData.PartitionData members =
                older.topics().get(0).partitions().get(0);
        members.newIsrWithEpochs().get(1).setBrokerEpoch(1);
        assertEquals(Errors.INELIGIBLE_REPLICA, lab.alter(older), "another incarnation");
        members.setNewIsr(List.of(1, 2)).setNewIsrWithEpochs(List.of());
        assertEquals(Errors.NONE, lab.alter(older), "version 2 has no epochs");
        assertEquals(List.of(1, 2), lab.partition("t").isr());
        assertEquals(Errors.INVALID_UPDATE_VERSION, lab.alter(older), "C9: once");
    }

    @Test
    void reassignmentEndsWhenAllTargetsAreInTheIsr() {
        lab.start(4);
        lab.create("t", List.of(List.of(1, 2)));
        assertEquals("OK", lab.reassign("t", List.of(3, 4)));
        PartitionImage moving = lab.partition("t");
        assertEquals(List.of(3, 4, 1, 2), moving.replicas());
        assertEquals(new Reassignment(List.of(3, 4), List.of(1, 2)), moving.reassignment());
        assertEquals(List.of(1, 2), moving.isr());
        long version = lab.image().version();
        assertEquals("OK", lab.reassign("t", List.of(3, 4)));
        assertEquals(version, lab.image().version(), "C9");
        var listed = ReassignmentList.of(lab.image(), new ListPartitionReassignmentsRequestData().setTopics(null));
        assertEquals(
                moving.reassignment().adding(),
                listed.topics().get(0).partitions().get(0).addingReplicas());
        assertEquals(Errors.NONE, lab.alter(lab.proposal("t", List.of(1, 2, 3))));
        assertEquals(4, lab.partition("t").replicas().size(), "one of two");
        int epoch = lab.partition("t").leaderEpoch();
        assertEquals(Errors.NEW_LEADER_ELECTED, lab.alter(lab.proposal("t", List.of(1, 2, 3, 4))));
        PartitionImage moved = lab.partition("t");
        assertEquals(List.of(3, 4), moved.replicas());
        assertEquals(List.of(3, 4), moved.isr());
        assertEquals(3, moved.leader());
        assertEquals(epoch + 1, moved.leaderEpoch());
        assertEquals(Reassignment.NONE, moved.reassignment());
        assertEquals("NO_REASSIGNMENT_IN_PROGRESS null", lab.reassign("t", null));
    }

    @Test
    void reassignmentsAreReplacedAndCancelled() {
        lab.start(4);
        lab.create("t", List.of(List.of(1, 2)));
        lab.reassign("t", List.of(2, 3));
        assertEquals("OK", lab.reassign("t", List.of(2, 4)));
        PartitionImage replaced = lab.partition("t");
        assertEquals(new Reassignment(List.of(3, 4), List.of(1, 3)), replaced.reassignment());
        assertEquals("OK", lab.reassign("t", null));
        assertEquals(List.of(2, 1), lab.partition("t").replicas(), "I14: the old set");
        assertEquals(List.of(1, 2), lab.partition("t").isr());
        lab.reassign("t", List.of(2, 3));
        assertEquals("OK", lab.reassign("t", List.of(1, 2)), "back");
        assertEquals(List.of(1, 2), lab.partition("t").replicas());
        assertEquals(Reassignment.NONE, lab.partition("t").reassignment());
    }

    @Test
    void reassignmentsAreRefusedAsInKafka() {
        lab.create("t", List.of(List.of(1, 2)));
        assertEquals("UNKNOWN_TOPIC_OR_PARTITION Unable to find a topic named u.", lab.reassign("u", List.of(1)));
        assertEquals(
                "INVALID_REPLICA_ASSIGNMENT The manual partition assignment includes broker 9, but no such broker is"
                        + " registered.",
                lab.reassign("t", List.of(1, 9)));
        assertEquals("OK", lab.reassign("t", List.of(1, 2, 3)), "another factor is allowed unless the request says no");
        lab.alter(lab.proposal("t", List.of(1, 2, 3)));
        assertEquals(List.of(1, 2, 3), lab.partition("t").replicas());
        lab.reassign("t", List.of(3));
        assertEquals(List.of(3), lab.partition("t").replicas(), "all targets are in the ISR: at once");
    }

    @Test
    void aCancelThatWouldLoseRecordsIsRefused() {
        lab.create("t", List.of(List.of(1)));
        lab.reassign("t", List.of(2, 3));
        lab.alter(lab.proposal("t", List.of(1, 2)));
        lab.lose(1);
        assertEquals(2, lab.partition("t").leader());
        assertEquals(
                "INVALID_REPLICA_ASSIGNMENT Unable to revert partition assignment for t:0 because it would require an"
                        + " unclean leader election.",
                lab.reassign("t", null));
    }

    @Test
    void leadershipsGoBackByThemselves() {
        lab.create("t", List.of(List.of(1, 2, 3)));
        lab.lose(1);
        lab.start(1, -1, "boot");
        assertFalse(lab.commit(lab.machine.balanceLeaders()));
        assertEquals(2, lab.partition("t").leader(), "not in the ISR yet");
        lab.alter(lab.proposal("t", List.of(1, 2, 3)));
        assertFalse(lab.commit(lab.machine.balanceLeaders()));
        assertEquals(1, lab.partition("t").leader());
        long version = lab.image().version();
        lab.commit(lab.machine.balanceLeaders());
        assertEquals(version, lab.image().version());
    }

    /** As many at once as clients can bear, and then the next ones. */
    @Test
    void leadershipsGoBackInParts() {
        lab.create("t", Collections.nCopies(1_500, List.of(1, 2)));
        lab.lose(1);
        lab.start(1, -1, "boot");
        assertEquals(0, ledBy(1));
        Uuid id = lab.image().topic("t").id();
        for (int i = 0; i < 1_500; i++) {
            AlterPartitionRequestData request = lab.proposal("t", List.of(2, 1));
            PartitionImage each = lab.partition("t", i);
            request.topics()
                    .get(0)
                    .setTopicId(id)
                    .partitions()
                    .get(0)
                    .setPartitionIndex(i)
                    .setLeaderEpoch(each.leaderEpoch())
                    .setPartitionEpoch(each.partitionEpoch());
            lab.commit(lab.machine.alterPartition(request));
        }
        assertTrue(lab.commit(lab.machine.balanceLeaders()), "there is more");
        assertEquals(1_000, ledBy(1));
        assertFalse(lab.commit(lab.machine.balanceLeaders()));
        assertEquals(1_500, ledBy(1));
    }

    private long ledBy(int broker) {
        return lab.image().topic("t").partitions().stream()
                .filter(each -> each.leader() == broker)
                .count();
    }

    @Test
    void aBrokerIsUnregistered() {
        lab.create("t", List.of(List.of(1, 2, 3)));
        var answer = lab.commit(lab.machine.unregisterBroker(new UnregisterBrokerRequestData().setBrokerId(1)));
        assertEquals(Errors.NONE.code(), answer.errorCode());
        assertNull(lab.image().broker(1));
        assertEquals(List.of(2, 3), lab.partition("t").isr());
        var again = lab.commit(lab.machine.unregisterBroker(new UnregisterBrokerRequestData().setBrokerId(1)));
        assertEquals(Errors.BROKER_ID_NOT_REGISTERED.code(), again.errorCode());
        assertEquals("Broker ID 1 is not currently registered", again.errorMessage());
        AllocateProducerIdsRequestData ids =
                new AllocateProducerIdsRequestData().setBrokerId(1).setBrokerEpoch(3);
        assertEquals(
                Errors.STALE_BROKER_EPOCH.code(),
                lab.commit(lab.machine.allocateProducerIds(ids)).errorCode());
    }

    /** C3: of a broker that was taken off the cluster and comes back nothing is known. */
    @Test
    void anUnregisteredBrokerThatReturnsCountsAsEmpty() {
        lab.create("t", List.of(List.of(1)));
        lab.commit(lab.machine.unregisterBroker(new UnregisterBrokerRequestData().setBrokerId(1)));
        assertEquals(List.of(1), lab.partition("t").eligible().elr());
        lab.start(1, -1, "boot");
        assertTrue(lab.partition("t").eligible().recovering());
    }
}
