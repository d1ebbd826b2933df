import sharp from "sharp";
import { failures } from "../failures.ts";
import { isAnimatedPng, withoutTexts } from "./bounded-png.ts";

/** The formats a logo may be uploaded in, by media type, as sharp names them. */
const formats: Readonly<Record<string, string>> = {
	"image/png": "png",
	"image/jpeg": "jpeg",
	"image/webp": "webp",
};
export const logoMediaTypes = Object.keys(formats);
/** The media type of every stored logo. */
export const storedMediaType = "image/webp";

/** Of an uploaded image, in pixels, on either side. */
const sidePixelsMax = 4_096;
/** Of a stored logo, in pixels, on either side. */
const storedPixelsMax = 512;
const encodingSecondsMax = 10;

// One thread an image, nothing cached between images, and no decoder but the three that are needed: the
// files come from outside.
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadPng", "VipsForeignLoadJpeg", "VipsForeignLoadWebp"] });

/** Makes the stored form of an uploaded logo. */
export type LogoEncoder = (upload: { content: Buffer; mediaType: string }) => Promise<Buffer>;

/**
 * Makes an encoder that decodes one image at a time, because a decoded one takes up to 100 MB; at most
 * `acceptedMax` uploads run or wait. It answers a WebP image of at most 512 by 512 pixels, upright and
 * without metadata. Throws `logo_busy`, `logo_unreadable`, `logo_animated` and `logo_dimensions`.
 */
export function createLogoEncoder({ acceptedMax }: { acceptedMax: number }): LogoEncoder {
	let accepted = 0;
	let last: Promise<unknown> = Promise.resolve();
	return async (upload) => {
		if (accepted >= acceptedMax) throw failures.logo_busy({ headers: { "retry-after": "2" } });
		accepted += 1;
		const encoded = last.then(() => encode(upload)).finally(() => (accepted -= 1));
		// The next one starts whether or not this one fails; the caller gets the failure.
		last = encoded.catch(() => undefined);
		return encoded;
	};
}

async function encode(upload: { content: Buffer; mediaType: string }): Promise<Buffer> {
	const content = withoutTexts(upload.content);
	const { format, width, height, pages = 1 } = await readHeader(content);
	if (format !== formats[upload.mediaType]) throw failures.logo_unreadable({ fields: inBody });
	if (width > sidePixelsMax || height > sidePixelsMax) throw failures.logo_dimensions({ fields: inBody });
	if (pages > 1 || isAnimatedPng(content)) throw failures.logo_animated({ fields: inBody });
	return orUnreadable(
		sharp(content, { limitInputPixels: sidePixelsMax ** 2 })
			.autoOrient()
			.resize(storedPixelsMax, storedPixelsMax, { fit: "inside", withoutEnlargement: true })
			.webp({ quality: 90 })
			.timeout({ seconds: encodingSecondsMax })
			.toBuffer(),
	);
}

const inBody = { field: "body", in: "body" };

/** The size is checked by the caller, so that an image that is too large is refused as such. */
const readHeader = (content: Buffer) =>
	orUnreadable(sharp(content, { limitInputPixels: false, animated: true }).metadata());

/** sharp throws plain errors, and of bytes in memory only for what is wrong with them. */
async function orUnreadable<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (cause) {
		throw failures.logo_unreadable({ fields: inBody, cause });
	}
}
