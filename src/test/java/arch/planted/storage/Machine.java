package arch.planted.storage;

/** No value: only who may know storage may know it. */
public interface Machine {
    Answer answer();
}
