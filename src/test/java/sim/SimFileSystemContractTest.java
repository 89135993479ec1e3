package sim;

import storage.FileSystem;
import storage.FileSystemContract;

/** The simulated disk keeps the contract that the real one keeps. */
class SimFileSystemContractTest extends FileSystemContract {
    private final SimRandom random = new SimRandom(1);
    private final FileSystem files =
            new SimFileSystem(new SimDisk(random), new SimLife("contract"), new SimClock(new SimScheduler(random)));

    @Override
    protected FileSystem files() {
        return files;
    }
}
