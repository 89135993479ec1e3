package metadata;

import java.util.AbstractCollection;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * An immutable sorted map (a balanced tree): a change makes a new map that shares all but O(log n) nodes with the old one, so that each metadata image
 * is whole and making the next one costs what changed. Iteration is by key, the same in every run (R4 of the plan). Safe to read on any thread.
 */
final class PersistentMap<K extends Comparable<? super K>, V> {

    private final Node<K, V> root;

    private PersistentMap(Node<K, V> root) {
        this.root = root;
    }

    static <K extends Comparable<? super K>, V> PersistentMap<K, V> empty() {
        return new PersistentMap<>(null);
    }

    int size() {
        return size(root);
    }

    /** null when there is none. */
    V get(K key) {
        Node<K, V> node = root;
        while (node != null) {
            int order = key.compareTo(node.key);
            if (order == 0) {
                return node.value;
            }
            node = order < 0 ? node.left : node.right;
        }
        return null;
    }

    PersistentMap<K, V> with(K key, V value) {
        return new PersistentMap<>(insert(root, key, value));
    }

    /** The same map if it has no such key. */
    PersistentMap<K, V> without(K key) {
        return get(key) == null ? this : new PersistentMap<>(remove(root, key));
    }

    /** Values by key order; a view, as immutable as the map. */
    Collection<V> values() {
        return new AbstractCollection<>() {
            @Override
            public Iterator<V> iterator() {
                Iterator<Node<K, V>> nodes = nodes();
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return nodes.hasNext();
                    }

                    @Override
                    public V next() {
                        return nodes.next().value;
                    }
                };
            }

            @Override
            public int size() {
                return PersistentMap.this.size();
            }
        };
    }

    /** Keys in order; a view. */
    Collection<K> keys() {
        return new AbstractCollection<>() {
            @Override
            public Iterator<K> iterator() {
                Iterator<Node<K, V>> nodes = nodes();
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return nodes.hasNext();
                    }

                    @Override
                    public K next() {
                        return nodes.next().key;
                    }
                };
            }

            @Override
            public int size() {
                return PersistentMap.this.size();
            }
        };
    }

    /** Told of each key whose value is another object; null where there is none. */
    interface Difference<V> {
        void of(V before, V after);
    }

    /**
     * What differs from {@code older}, by key. What both share is passed over, so that it costs what changed between them, if one was made from the other.
     */
    void compare(PersistentMap<K, V> older, Difference<V> out) {
        ArrayDeque<Part<K, V>> before = parts(older.root);
        ArrayDeque<Part<K, V>> after = parts(root);
        while (!before.isEmpty() && !after.isEmpty()) {
            Part<K, V> left = before.peek();
            Part<K, V> right = after.peek();
            if (left.whole && right.whole && left.node == right.node) {
                before.pop();
                after.pop();
            } else if (left.whole && (!right.whole || left.node.height >= right.node.height)) {
                split(before);
            } else if (right.whole) {
                split(after);
            } else {
                int order = left.node.key.compareTo(right.node.key);
                V was = order <= 0 ? before.pop().node.value : null;
                V is = order >= 0 ? after.pop().node.value : null;
                if (was != is) {
                    out.of(was, is);
                }
            }
        }
        while (!before.isEmpty()) {
            Part<K, V> left = split(before);
            if (!left.whole) {
                out.of(left.node.value, null);
            }
        }
        while (!after.isEmpty()) {
            Part<K, V> right = split(after);
            if (!right.whole) {
                out.of(null, right.node.value);
            }
        }
    }

    /**
     * What is still to come of a map, the least key first.
     *
     * @param whole with all below it; else the node alone
     */
    private record Part<K, V>(Node<K, V> node, boolean whole) {}

    private static <K, V> ArrayDeque<Part<K, V>> parts(Node<K, V> root) {
        ArrayDeque<Part<K, V>> parts = new ArrayDeque<>();
        pushWhole(parts, root);
        return parts;
    }

    /** Takes the first part away, and puts what it consists of in its place. */
    private static <K, V> Part<K, V> split(ArrayDeque<Part<K, V>> parts) {
        Part<K, V> first = parts.pop();
        if (first.whole) {
            pushWhole(parts, first.node.right);
            parts.push(new Part<>(first.node, false));
            pushWhole(parts, first.node.left);
        }
        return first;
    }

    private static <K, V> void pushWhole(ArrayDeque<Part<K, V>> parts, Node<K, V> node) {
        if (node != null) {
            parts.push(new Part<>(node, true));
        }
    }

    private Iterator<Node<K, V>> nodes() {
        ArrayDeque<Node<K, V>> path = new ArrayDeque<>();
        pushLeft(path, root);
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return !path.isEmpty();
            }

            @Override
            public Node<K, V> next() {
                if (path.isEmpty()) {
                    throw new NoSuchElementException();
                }
                Node<K, V> node = path.pop();
                pushLeft(path, node.right);
                return node;
            }
        };
    }

    private static <K, V> void pushLeft(ArrayDeque<Node<K, V>> path, Node<K, V> from) {
        for (Node<K, V> node = from; node != null; node = node.left) {
            path.push(node);
        }
    }

    private static <K extends Comparable<? super K>, V> Node<K, V> insert(Node<K, V> node, K key, V value) {
        if (node == null) {
            return new Node<>(key, value, null, null);
        }
        int order = key.compareTo(node.key);
        if (order == 0) {
            return new Node<>(key, value, node.left, node.right);
        }
        return order < 0
                ? balanced(node.key, node.value, insert(node.left, key, value), node.right)
                : balanced(node.key, node.value, node.left, insert(node.right, key, value));
    }

    private static <K extends Comparable<? super K>, V> Node<K, V> remove(Node<K, V> node, K key) {
        int order = key.compareTo(node.key);
        if (order < 0) {
            return balanced(node.key, node.value, remove(node.left, key), node.right);
        }
        if (order > 0) {
            return balanced(node.key, node.value, node.left, remove(node.right, key));
        }
        if (node.left == null) {
            return node.right;
        }
        if (node.right == null) {
            return node.left;
        }
        Node<K, V> next = node.right;
        while (next.left != null) {
            next = next.left;
        }
        return balanced(next.key, next.value, node.left, remove(node.right, next.key));
    }

    /** A node of two subtrees whose heights differ by at most 2, rotated so that they differ by at most 1. */
    private static <K, V> Node<K, V> balanced(K key, V value, Node<K, V> left, Node<K, V> right) {
        int lean = height(left) - height(right);
        if (lean > 1) {
            if (height(left.left) >= height(left.right)) {
                return new Node<>(left.key, left.value, left.left, new Node<>(key, value, left.right, right));
            }
            Node<K, V> top = left.right;
            return new Node<>(
                    top.key,
                    top.value,
                    new Node<>(left.key, left.value, left.left, top.left),
                    new Node<>(key, value, top.right, right));
        }
        if (lean < -1) {
            if (height(right.right) >= height(right.left)) {
                return new Node<>(right.key, right.value, new Node<>(key, value, left, right.left), right.right);
            }
            Node<K, V> top = right.left;
            return new Node<>(
                    top.key,
                    top.value,
                    new Node<>(key, value, left, top.left),
                    new Node<>(right.key, right.value, top.right, right.right));
        }
        return new Node<>(key, value, left, right);
    }

    private static int height(Node<?, ?> node) {
        return node == null ? 0 : node.height;
    }

    private static int size(Node<?, ?> node) {
        return node == null ? 0 : node.size;
    }

    private static final class Node<K, V> {
        final K key;
        final V value;
        final Node<K, V> left;
        final Node<K, V> right;
        final int height;
        final int size;

        Node(K key, V value, Node<K, V> left, Node<K, V> right) {
            this.key = key;
            this.value = value;
            this.left = left;
            this.right = right;
            this.height = 1 + Math.max(height(left), height(right));
            this.size = 1 + size(left) + size(right);
        }

        private static int height(Node<?, ?> node) {
            return node == null ? 0 : node.height;
        }

        private static int size(Node<?, ?> node) {
            return node == null ? 0 : node.size;
        }
    }
}
