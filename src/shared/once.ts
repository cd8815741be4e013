/** Defers a computation until its first use and caches the value. */
export function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}

/** Defers a computation for each key until its first use and caches the values. */
export function onceFor<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const all = new Map<Key, Made>()
  return (key) => {
    const made = all.get(key) ?? make(key)
    all.set(key, made)
    return made
  }
}
