/** Finds links to places in texts: with coordinates, and to map services, whose short links name a place too. */

const LINK = /\b(?:https?:\/\/|www\.|geo:|maps?:|\w+maps?:\/\/|waze:\/\/)[^\s"'<>]+/gi

const [LATITUDE, LONGITUDE] = [String.raw`[-+]?\d{1,2}\.\d{3,}`, String.raw`[-+]?\d{1,3}\.\d{3,}`]

const PLACES: readonly RegExp[] = [
  /^(?:geo|maps?|\w+maps?|waze):/i,
  /^(?:https?:\/\/)?(?:[\w-]+\.)*(?:maps\.[\w.-]+|openstreetmap\.org|osm\.org|what3words\.com|w3w\.co|plus\.codes|waze\.com)(?:[/:?#]|$)/i,
  /^[^?#]*\/maps?(?:[/?#@]|$)/i,
  // A pair: @48.137,11.575 and #map=15/48.137/11.575
  new RegExp(`${LATITUDE}\\s*[,;/+_|~ ]\\s*${LONGITUDE}`),
  // Parameters: lat=48.1&lon=11.5, centerLatitude=48.1, !3d48.1!4d11.5
  /(?:lat|latitude)\w*[=:/]-?\d{1,2}\.\d/i,
  /!3d-?\d+\.\d+!4d-?\d/,
  // Degrees and minutes: 48°08'14"N
  /\d\s*°\s*\d/,
]

export const hasPlaceLink = (text: string): boolean =>
  (text.match(LINK) ?? []).some((link) => {
    const plain = decoded(link)
    return PLACES.some((place) => place.test(plain))
  })

/** @returns the link as it is if it isn't encoded correctly */
function decoded(link: string): string {
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}
