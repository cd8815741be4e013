/** For what is not needed by everybody who loads it: made when it is first asked for, and kept. */
export function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}
