/** Defines, for all formats, what counts as a location: the fields and values that *Remove location* removes. */
import { hasCoordinates } from './coordinates.ts'

/**
 * Fields with a location, by namespace. Their names alone don't identify them.
 * Sources: IPTC Photo Metadata Standard 2023.2 (Core and Extension), XMP Specification Part 2, Dublin Core (`coverage`).
 */
const PLACE_FIELDS: Readonly<Record<string, RegExp>> = {
  'http://ns.adobe.com/photoshop/1.0/': /^(?:City|State|Country)$/,
  'http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/': /^(?:Location|CountryCode)$/,
  'http://iptc.org/std/Iptc4xmpExt/2008-02-29/':
    /^(?:Location\w*|City|CountryName|CountryCode|ProvinceState|Sublocation|WorldRegion|RatingRegion)$/,
  'http://ns.adobe.com/xmp/1.0/DynamicMedia/': /^shotLocation$/,
  'http://purl.org/dc/elements/1.1/': /^coverage$/,
  'http://purl.org/dc/terms/': /^(?:coverage|spatial|Location)$/,
  // W3C Basic Geo vocabulary.
  'http://www.w3.org/2003/01/geo/wgs84_pos#': /^/,
  // Cell towers, from phones by Sony Ericsson.
  'http://developer.sonyericsson.com/cell/1.0/': /^/,
  // Embedded previews are images with their own metadata.
  'http://ns.adobe.com/xap/1.0/': /^Thumbnails$/,
}

/**
 * Words in names that mean a place in any namespace: Exif for XMP (CIPA DC-010), Darwin Core (terms of the class Location), PRISM, Photo
 * Mechanic, Media Pro, and drones, which misspell the longitude. The camera's maker notes and logs may also contain places.
 */
const PLACE_WORDS = [
  /gps|latitude|longt?itude|altitude|elevation|coordinate|location|locality|municipal|waterbody|landmark/i,
  /continent|footprint|geodetic|sublocation|worldregion|cell_?(?:tower|id)|areacode|mobilecountry|mobilenetwork/i,
  /provinces?(?![a-z])|stateprovince|^state$|postal|streetaddress|makernote|shot_?log|^(?:lac|mcc|mnc)$/i,
  /(?:^(?:city|cities|country|countries|county)|City|Cities|Country|Countries|County)(?![a-z])/,
  /(?:^country|Country)Code/,
  // Drones: real-time kinematic positioning, and coordinates in meters.
  /^(?:Rtk|UTM)/,
  /(?:^places?|Places?)(?![a-z])/,
  /(?:^island|Island)/,
  /(?:^venue|Venue)/,
  // Excludes geometry and geology.
  /(?:^geo|Geo)(?![ml])/,
]

/** Positions within the image, a setting of the sensor, and addresses of the author and the licensor, which are contact data. */
const NOT_PLACES = /^(?:SubjectLocation|ISOSpeedLatitude\w*|CiAdr\w+|Licensor\w+)$/

/**
 * Whole names of tags, or whole words in them: `©xyz` and `loci` of MP4, `ISO6709` of QuickTime, and words for a place in the languages of
 * the window.
 */
const TAGS = new Set(
  [
    'xyz loci iso6709',
    'ort aufnahmeort drehort stadt land lieu ville pays lugar ciudad país ubicación luogo città paese',
    'cidade país localização plaats stad locatie miejsce miasto kraj lokalizacja yer konum şehir ülke',
    'місце місто країна місцезнаходження место город страна 場所 撮影地 位置 都市 国 地点 地點 城市 国家 國家 장소 위치 도시 국가',
    'المكان الموقع المدينة البلد مكان موقع مدينة بلد',
  ].flatMap((names) => names.split(' ')),
)

/** Returns whether a tag that users or programs name freely is for a place, such as `place`, `RECORDING_LOCATION` or `Ort`. */
export const isPlaceTag = (name: string): boolean =>
  [name, ...name.split(/[^\p{L}\p{M}\d]+/u)].some(
    (part) => [part, part.toLowerCase()].some((one) => isPlaceName('', one)) || TAGS.has(part.toLowerCase()),
  )

export const isPlaceName = (namespace: string, local: string): boolean =>
  !NOT_PLACES.test(local) &&
  (PLACE_FIELDS[namespace]?.test(local) === true || PLACE_WORDS.some((word) => word.test(local)))

/** Maximum length of a value that is only a place. */
const LONGEST_VALUE = 400

/** Values that are places in any field, but only as a whole. Within longer text, they could mean anything else. */
const PLACE_VALUES: readonly RegExp[] = [
  // XMP: 48,8.229N and 48,8,13N.
  /^\s*\d{1,3}(?:,\d{1,2}){1,2}(?:\.\d+)?\s*[NSEW]\s*$/i,
  // RFC 5870, and the machine tags of photo sites.
  /^\s*geo:[-+\d]/i,
  /^\s*(?:geo|gps)\w*:?(?:lat|lon|lng|alt)\w*\s*[=:]/i,
  /^\s*(?:geo|gps|place|location|city|country)\w*:\w+\s*=/i,
  // ISO 6709.
  /^\s*[-+]\d{2,6}(?:\.\d+)?[-+]\d{3,7}(?:\.\d+)?(?:[-+][\d.]+)?(?:CRS\w*)?\/?\s*$/,
  // Well-known text.
  /^\s*(?:POINT|POLYGON|LINESTRING)\s*Z?\s*\(/i,
]

/** JPEG, PNG, WebP and ISO media in Base64. */
const PICTURE = /^\s*(?:\/9j\/|iVBORw0KGgo|UklGR|AAAA[A-Za-z]{2}Z0eX)/

/** GPS properties of a packet within a value. */
const NESTED_PACKET = /GPS(?:Latitude|Longitude|Position)/i

export const isPlaceValue = (text: string): boolean =>
  text !== '' &&
  (PICTURE.test(text.slice(0, 64)) ||
    NESTED_PACKET.test(text) ||
    (text.length <= LONGEST_VALUE && PLACE_VALUES.some((value) => value.test(text))) ||
    hasCoordinates(text))

/** A hierarchical keyword for a place, as photo managers write it: `Places|Germany|Munich`. */
const PLACE_TREE = /^\s*(?:places?|locations?|geograph\w*|orte?|lieux?|lugar(?:es)?)\s*[|/\\>]/i

/** Returns the places in a hierarchical keyword, without the name of the hierarchy. */
export const placesInKeyword = (text: string): readonly string[] =>
  PLACE_TREE.test(text)
    ? text
        .split(/[|/\\>]/)
        .slice(1)
        .map((part) => part.trim())
        .filter((part) => part !== '')
    : []

/**
 * Exif tags that a photo without location keeps: those that Exif 3.0 (CIPA DC-008) and TIFF/EP define for the camera, the exposure, dates
 * and the author, and those of Windows for ratings, titles and keywords. This leaves out the GPS directory, GeoTIFF, embedded XMP and IPTC,
 * further images, maker notes and all other private tags: some cameras write cities and landmarks there in an undocumented format.
 */
const KEPT_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x010d, 0x0112], // name, description, camera, orientation
  [0x011a, 0x011b], // resolution
  [0x0128, 0x0128],
  [0x0131, 0x0132], // software, date
  [0x013b, 0x013f], // artist, host, white point
  [0x0211, 0x0214],
  [0x4746, 0x4746], // rating
  [0x4749, 0x4749],
  [0x8298, 0x829d], // copyright, exposure
  [0x8769, 0x8769],
  [0x8822, 0x8824],
  [0x8827, 0x8835], // sensitivity, zone
  [0x9000, 0x927b], // dates, exposure
  [0x9286, 0x9292], // comment, fractions of seconds
  [0x9400, 0x9405],
  [0x9c9b, 0x9c9f], // Windows: title, author, keywords
  [0xa000, 0xa003],
  [0xa005, 0xa005],
  [0xa20b, 0xa217],
  [0xa300, 0xa302],
  [0xa401, 0xa43f], // rendering, owner, lens
  [0xa460, 0xa462],
  [0xa500, 0xa500],
  [0x0001, 0x0002], // in the directory of interoperability
  [0x1000, 0x1002],
]

/** @param tag outside the GPS directory */
export const isKeptExifTag = (tag: number): boolean =>
  KEPT_RANGES.some(([first, last]) => tag >= first && tag <= last)

/**
 * Data sets with a location (IPTC-IIM 4.2, record 2), and those with an embedded preview.
 */
const PLACE_DATA_SETS: ReadonlySet<number> = new Set([
  26, // content location code
  27, // content location name
  90, // city
  92, // sublocation
  95, // province or state
  100, // country code
  101, // country name
  200, // preview
  201,
  202,
])

export const isPlaceDataSet = (record: number, dataSet: number): boolean =>
  (record === 2 && PLACE_DATA_SETS.has(dataSet)) || (record === 1 && dataSet === DESTINATION)

/** In record 1: the photo's destination. */
const DESTINATION = 5
