/** Finds coordinates in text: photo fields, video tags, and subtitles that drones and cameras write. */
import { hasPlaceLink } from './place-links.ts'

/** Excludes positions within a picture and factors near 1. As coordinates, such numbers would be in the open sea off West Africa. */
const RELATIVE = String.raw`(?![-+]?[0-3][.,]\d+°?\s{0,4}[,;:/|\s]\s{0,4}[-+]?[0-3][.,]\d)`
const LATITUDE = String.raw`[-+]?(?:[0-8]?\d|90)`
const LONGITUDE = String.raw`[-+]?(?:1[0-7]\d|180|\d{1,2})`
const BETWEEN = String.raw`°?\s{0,4}[NS]?\s{0,4}[,;:/|\s]\s{0,4}`
const BETWEEN_COMMAS = String.raw`°?\s{0,4}[NS]?\s{0,4}[;:/|\s]\s{0,4}`
/** What may stand between a label and its number: `"lat":`, `[lat: `, `lat is`. */
const THEN = String.raw`(?![a-z])["'\])]{0,3}\s{0,4}(?:[:=]|is\b)?\s{0,4}["'(\[]{0,3}\s{0,4}`
const [LAT, LON] = [String.raw`lat(?:itude)?`, String.raw`(?:lng|lon(?:g(?:itude)?)?)`]
const NUMBER = String.raw`[-+]?\d{1,3}\.\d+`

const MINUTES = String.raw`\s{0,4}[0-5]?\d(?:[.,]\d{1,6})?\s{0,4}`
/** 48.1374, 48 8.244, 48°8'14.6", 48:08:14 */
const ANGLE = String.raw`\d{1,3}(?:[.,]\d{2,}|(?:[.,]\d)?\s{0,4}°(?:${MINUTES}['′’](?:${MINUTES}(?:["″”]|''))?)?|[:\s]${MINUTES}(?:[:\s]${MINUTES})?)\s{0,4}°?`
const [VERTICAL, HORIZONTAL] = ['[NS]', '[EWO]']
const NEXT = String.raw`\s{0,4}[,;/|]?\s{0,4}`

/** Degrees and minutes with seconds, decimals or a direction: 48° 8' 14.6", 48 deg 8.24', 48°8'N. Angles have none of these. */
const DEGREES =
  /\d\s*(?:°|º|deg(?:ree)?s?\b)\s*\d{1,2}(?:(?:[.,]\d+)?\s*['′’]\s*(?:\d{1,2}(?:[.,]\d+)?\s*(?:["″”]|'')|(?:N|S|E|W|O)(?![a-z]))|[.,]\d{2,}\s*['′’])/

/**
 * A match is always a location, regardless of the surrounding text. Repetitions are limited, so that the time per character doesn't grow
 * with the length of the text.
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
    String.raw`(?<![\d.])${RELATIVE}(?<!(?:version|release|score|ratio|rate|odd)s?:?\s{0,4}[-+]?)${LATITUDE}\.\d{4,}${BETWEEN}${LONGITUDE}\.\d{4,}`,
    'i',
  ),
  // The longitude first, as in GeoJSON.
  new RegExp(String.raw`(?<![\d.])${RELATIVE}${LONGITUDE}\.\d{5,}${BETWEEN}${LATITUDE}\.\d{5,}`),
  // Nothing but a pair.
  new RegExp(String.raw`^\s{0,4}${RELATIVE}${LATITUDE}\.\d{3,}${BETWEEN}${LONGITUDE}\.\d{3,}\s{0,4}$`),
  // Decimal commas, with another separator between the numbers: 48,1374; 11,5755
  new RegExp(String.raw`(?<![\d.])${RELATIVE}${LATITUDE},\d{4,}${BETWEEN_COMMAS}${LONGITUDE},\d{4,}`, 'i'),
  new RegExp(String.raw`^\s{0,4}${RELATIVE}${LATITUDE},\d{3,}${BETWEEN_COMMAS}${LONGITUDE},\d{3,}\s{0,4}$`),
  // ISO 6709: +48.1374+011.5755/, and whole minutes or degrees: +4808+01134/
  /[-+]\d{2}(?:[0-5]\d){0,2}\.\d+[-+][01]\d{2}(?:[0-5]\d){0,2}(?:\.\d|\/)/,
  /[-+]\d{2}(?:[0-5]\d){1,2}[-+][01]\d{2}(?:[0-5]\d){1,2}(?:[-+][\d.]+)?(?:CRS\w*)?\//,
  /^\s{0,4}[-+]\d{2}[-+][01]\d{2}\/?\s{0,4}$/,
  DEGREES,
  // Degrees with a direction: 48.1374° N
  /\d{1,3}[.,]\d{2,}\s{0,4}°\s{0,4}[NSEW]\b/,
  // Both directions: N48.13 E11.57, 48.13N 11.57E, 48° N 11° E, N 48 8.244 E 11 34.53
  new RegExp(String.raw`\b${VERTICAL}\s{0,4}${ANGLE}${NEXT}${HORIZONTAL}\s{0,4}${ANGLE}`),
  new RegExp(
    String.raw`(?<![\d.,])${ANGLE}\s{0,4}${VERTICAL}${NEXT}(?:${ANGLE}|\d{1,3}(?:[.,]\d+)?)\s{0,4}${HORIZONTAL}\b`,
  ),
  // Universal Transverse Mercator: 31U 448251 5411932, and the Military Grid Reference System: 31U DQ 48251 11932
  /\b\d{1,2}[C-HJ-NP-X]\s{1,4}(?:\d{6}(?:\.\d+)?\s{1,4}\d{7}|[A-HJ-NP-Z]{2}\s{1,4}\d{3,5}\s{1,4}\d{3,5})\b/,
  // Plus codes, and what3words addresses
  /(?<![\w+/])[CJ2-9F-HMP-RV][CJ2-9F-HMP-RV-X]{7}\+[CJ2-9F-HMP-RV-X]{2,7}(?![\w+/])/,
  /(?<![\w:/])\/{3}\p{L}{2,30}\.\p{L}{2,30}\.\p{L}{2,30}(?![\w./])/u,
  // NMEA sentences
  /\$G[A-Z](?:GGA|RMC|GLL|GNS)\b/,
]

export const hasCoordinates = (text: string): boolean =>
  PATTERNS.some((pattern) => pattern.test(text)) || hasPlaceLink(text)
