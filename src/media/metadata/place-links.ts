/** Finds links to places in text: links with coordinates, and links to map services, including short links. */

const LINK =
  /\b(?:https?:\/\/|www\.|geo:(?=[-+\d])|maps?:(?=[/?])|\w{1,20}maps?:\/\/|waze:\/\/|(?:[\w-]{1,63}\.){1,5}[a-z]{2,12}(?=[/?#:]))[^\s"'<>]+/gi

const [LATITUDE, LONGITUDE] = [String.raw`[-+]?\d{1,2}\.\d{3,}`, String.raw`[-+]?\d{1,3}\.\d{3,}`]

const HOST = String.raw`^(?:https?:\/\/)?(?:[\w-]+\.)*`
/** Sites with nothing but maps. `WITH_PATH` lists sites with other content and a path for maps. */
const MAPS = [
  String.raw`maps?\.[\w.-]+|(?:amap|gaode|what3words|waze|mapquest|citymapper|2gis)\.\w+|mapy\.(?:cz|com)|(?:openstreetmap|osm)\.org`,
  String.raw`w3w\.co|plus\.codes|her\.is|(?:share|wego)\.here\.com|earth\.google\.com`,
]
const WITH_PATH = String.raw`(?:google|goo|bing|yandex|yahoo|live|here)\.[\w.]+\/maps?`

const PLACES: readonly RegExp[] = [
  /^(?:geo|maps?|\w+maps?|waze):/i,
  new RegExp(String.raw`${HOST}(?:${MAPS.join('|')}|${WITH_PATH})(?:[/:?#@]|$)`, 'i'),
  // With few decimals: @48.1,11.5
  /@-?\d{1,2}\.\d+,-?\d{1,3}\.\d/,
  // A pair: @48.137,11.575 and #map=15/48.137/11.575
  new RegExp(`${LATITUDE}\\s*[,;/+_|~ ]\\s*${LONGITUDE}`),
  // Parameters: lat=48.1&lon=11.5, centerLatitude=48.1, !3d48.1!4d11.5
  /lat\w{0,20}[=:/]-?\d{1,2}\.\d/i,
  /!3d-?\d+\.\d+!4d-?\d/,
  // Degrees and minutes: 48°08'14"N
  /\d\s*°\s*\d/,
]

export const hasPlaceLink = (text: string): boolean =>
  (text.match(LINK) ?? []).some((link) => {
    const plain = decoded(link)
    return PLACES.some((place) => place.test(plain))
  })

/** Decodes a link. Returns the link unchanged if it isn't encoded correctly. */
function decoded(link: string): string {
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}
