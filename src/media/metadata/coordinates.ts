/** Finds coordinates in texts: in captions, in subtitles that drones and cameras write, and in tags of any name. */
import { DEGREES, hasPlaceLink } from './place-links.ts'

const LATITUDE = String.raw`[-+]?(?:[0-8]?\d|90)`
const LONGITUDE = String.raw`[-+]?(?:1[0-7]\d|180|\d{1,2})`
const BETWEEN = String.raw`°?\s{0,4}[NS]?\s{0,4}[,;:/|\s]\s{0,4}`
/** What may stand between a label and its number: `"lat":`, `[lat: `, `lat is`. */
const THEN = String.raw`(?![a-z])["'\])]{0,3}\s{0,4}(?:[:=]|is\b)?\s{0,4}["'(\[]{0,3}\s{0,4}`
const [LAT, LON] = [String.raw`lat(?:itude)?`, String.raw`(?:lng|lon(?:g(?:itude)?)?)`]
const NUMBER = String.raw`[-+]?\d{1,3}\.\d+`

/**
 * A match is always a location, regardless of the surrounding text. Repetitions are limited, so that long texts take no longer per
 * character.
 */
const PATTERNS: readonly RegExp[] = [
  // Labels that mean nothing else: GPS: 48.137, "gps_lat": 48.137, latitude is 48.137
  new RegExp(
    String.raw`(?:(?<![a-z])(?:gps|lat|lng)|latitude|longitude)${THEN}[-+]?\d{1,3}(?:\.\d{3,}|,\d{4,})`,
    'i',
  ),
  // Both labels: lat=48.1&lon=11.5
  ...[`${LAT}${THEN}${NUMBER}[^]{0,40}?${LON}`, `${LON}${THEN}${NUMBER}[^]{0,40}?${LAT}`].map(
    (labels) => new RegExp(`(?<![a-z])${labels}${THEN}${NUMBER}`, 'i'),
  ),
  // The notation of drones: GPS(11.57,48.13,18), HOME(11.57,48.13)
  /\b(?:gps\s{0,4}[:=]?|home\s{0,4}[:=]?\s{0,4}[([])\s{0,4}[([]?\s{0,4}[-+]?\d{1,3}\.\d{2,}\s{0,4}[,;/ ]\s{0,4}[-+]?\d{1,3}\.\d{2,}/i,
  // Pairs with four or more decimals: 48.1374, 11.5755. Excludes versions and scores, which look the same.
  new RegExp(
    String.raw`(?<![\d.])(?<!(?:version|release|score|ratio|rate|odd)s?:?\s{0,4}[-+]?)${LATITUDE}\.\d{4,}${BETWEEN}${LONGITUDE}\.\d{4,}`,
    'i',
  ),
  // The longitude first, as in GeoJSON.
  new RegExp(String.raw`(?<![\d.])${LONGITUDE}\.\d{5,}${BETWEEN}${LATITUDE}\.\d{5,}`),
  // Decimal commas: 48,1374; 11,5755
  /(?<![\d.,])[-+]?\d{1,3},\d{3,}\s{0,4}°?\s{0,4}[NS]?\s{0,4}[;/|]\s{0,4}[-+]?\d{1,3},\d{3,}/,
  // Nothing but a pair.
  new RegExp(String.raw`^\s{0,4}${LATITUDE}\.\d{3,}${BETWEEN}${LONGITUDE}\.\d{3,}\s{0,4}$`),
  // ISO 6709: +48.1374+011.5755/, and whole minutes or degrees: +4808+01134/
  /[-+]\d{2}(?:[0-5]\d){0,2}\.\d+[-+][01]\d{2}(?:[0-5]\d){0,2}(?:\.\d|\/)/,
  /[-+]\d{2}(?:[0-5]\d){1,2}[-+][01]\d{2}(?:[0-5]\d){1,2}(?:[-+][\d.]+)?(?:CRS\w*)?\//,
  /^\s{0,4}[-+]\d{2}[-+][01]\d{2}\/?\s{0,4}$/,
  DEGREES,
  // Degrees with a direction: 48.1374° N, and both directions: N48.13 E11.57, 48.13N 11.57E, 48° N 11° E
  /\d{1,3}\.\d{2,}\s{0,4}°\s{0,4}[NSEW]\b/,
  /\b[NS]\s{0,4}\d{1,2}\.\d{2,}\s{0,4}°?\s{0,4}[,;/]?\s{0,4}[EWO]\s{0,4}\d{1,3}\.\d{2,}/,
  /\d{1,2}(?:\.\d{2,}|(?:\.\d)?\s{0,4}°)\s{0,4}[NS]\s{0,4}[,;/]?\s{0,4}\d{1,3}(?:\.\d+)?\s{0,4}°?\s{0,4}[EWO]\b/,
  // Degrees and minutes with both directions: N 48 08.244 E 11 34.567
  /\b[NS]\s{0,4}\d{1,2}\s{1,4}\d{1,2}\.\d+\s{0,4}[,;/]?\s{0,4}[EWO]\s{0,4}\d{1,3}\s{1,4}\d{1,2}\.\d/,
  /\d{1,2}\s{1,4}\d{1,2}\.\d+\s{0,4}[NS]\s{0,4}[,;/]?\s{0,4}\d{1,3}\s{1,4}\d{1,2}\.\d+\s{0,4}[EWO]\b/,
  // NMEA sentences
  /\$G[A-Z](?:GGA|RMC|GLL|GNS)\b/,
]

export const hasCoordinates = (text: string): boolean =>
  PATTERNS.some((pattern) => pattern.test(text)) || hasPlaceLink(text)
