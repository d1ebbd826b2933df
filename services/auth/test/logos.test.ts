import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { crc32, deflateSync } from "node:zlib";
import { inTenant } from "@lango/postgres";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { createLogoEncoder } from "../src/images/logo-encoder.ts";
import { type Firm, openOffice } from "./office.ts";
import { issuer, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();
const office = openOffice(signOn);
let own: Firm;
beforeAll(async () => {
	own = await office.found();
});

type Sent = { content?: Buffer | string; type?: string; firm?: Pick<Firm, "slug" | "token"> };
const upload = ({ content, type = "image/png", firm = own }: Sent) =>
	signOn.app.inject({
		method: "PUT",
		url: `/api/v1/tenants/${firm.slug}/logo`,
		headers: { authorization: `Bearer ${firm.token}`, "content-type": type },
		...(content !== undefined && { payload: content }),
	});
const remove = (firm = own) =>
	office.call("DELETE", `/api/v1/tenants/${firm.slug}/logo`, { token: firm.token });
const fetchLogo = (url: string, headers: Record<string, string> = {}) =>
	signOn.app.inject({ method: "GET", url: url.replace(issuer, ""), headers });
const stored = (firm: Firm) =>
	inTenant(signOn.db, firm.tenantId, (tx) =>
		tx.query("select id from tenant_logos where tenant_id = $1", [firm.tenantId]),
	);

const plain = (width: number, height: number, red = 200) =>
	sharp({ create: { width, height, channels: 4, background: { r: red, g: 90, b: 20, alpha: 0.5 } } });
/** Pixels that do not compress. */
const noise = (side: number) => {
	const pixels = Buffer.from(Array.from({ length: side * side * 3 }, (_, at) => (at * 2_654_435_761) >>> 13));
	return sharp(pixels, { raw: { width: side, height: side, channels: 3 } });
};
const animated = async () => {
	const frames = await Promise.all([10, 250].map((red) => plain(20, 20, red).png().toBuffer()));
	return sharp(frames, { join: { animated: true } });
};

/** A PNG with the chunk acTL of an animation after its header, as APNG has it. */
const animatedPng = () => pngWith(chunkOf("acTL", Buffer.alloc(8)));

/** The bytes of a PNG's header and what is before it. */
const headerEnd = 8 + 25;

function chunkOf(type: string, data: Buffer): Buffer {
	const named = Buffer.concat([Buffer.from(type), data]);
	const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
	length.writeUInt32BE(data.length);
	check.writeUInt32BE(crc32(named));
	return Buffer.concat([length, named, check]);
}

/** A small PNG of less than 256 KB with these chunks after its header. */
async function pngWith(...chunks: Buffer[]): Promise<Buffer> {
	const image = await plain(20, 20).png().toBuffer();
	const content = Buffer.concat([image.subarray(0, headerEnd), ...chunks, image.subarray(headerEnd)]);
	expect(content.length).toBeLessThan(256 * 1_024);
	return content;
}

const expanding = (megabytes: number) => deflateSync(Buffer.alloc(megabytes * 1_000_000, 97), { level: 9 });

/** A small PNG whose header names 60000 by 60000 pixels. */
async function hugeHeader(): Promise<Buffer> {
	const image = await plain(20, 20).png().toBuffer();
	image.writeUInt32BE(60_000, 16);
	image.writeUInt32BE(60_000, 20);
	image.writeUInt32BE(crc32(image.subarray(12, 29)), 29);
	return image;
}

test.each([
	["image/png", () => plain(900, 300).png(), [512, 171]],
	["image/jpeg", () => plain(300, 900).jpeg(), [171, 512]],
	["image/webp; q=1", () => plain(40, 30).webp(), [40, 30]],
] as const)(
	"an uploaded %s becomes a WebP image of at most 512 pixels that anybody may fetch",
	async (type, image, size) => {
		const answer = await upload({ content: await image().toBuffer(), type });
		expect(answer.statusCode, answer.body).toBe(200);
		const { logo_url } = answer.json().branding;
		expect(logo_url).toMatch(new RegExp(`^${issuer}/api/v1/tenants/${own.tenantId}/logo/[0-9a-f]{64}$`));
		const logo = await fetchLogo(logo_url);
		expect(logo.statusCode).toBe(200);
		const { format, width, height } = await sharp(logo.rawPayload).metadata();
		expect({ format, size: [width, height] }).toEqual({ format: "webp", size });
	},
);

test("a logo is served so that caches keep it, pages of every origin show it, and nothing in it runs", async () => {
	const { logo_url } = (await upload({ content: await plain(64, 64).png().toBuffer() })).json().branding;
	const logo = await fetchLogo(logo_url);
	expect(logo.headers).toMatchObject({
		"content-type": "image/webp",
		"x-content-type-options": "nosniff",
		"content-security-policy": "default-src 'none'; sandbox",
		"cross-origin-resource-policy": "cross-origin",
		"cache-control": "public, max-age=31536000, immutable",
		etag: `"${logo_url.slice(-64)}"`,
	});
	const again = await fetchLogo(logo_url, { "if-none-match": String(logo.headers.etag) });
	expect([again.statusCode, again.body]).toEqual([304, ""]);
});

test("an upload is in the public data, in the event, and in the audit log", async () => {
	const firm = await office.found();
	const { logo_url } = (await upload({ content: await plain(10, 10).png().toBuffer(), firm })).json()
		.branding;
	const shown = (await office.call("GET", `/api/v1/tenants/by-slug/${firm.slug}`)).json();
	expect(shown.branding).toEqual({ logo_url, colour: null });
	const [event] = await office.events("tenant.updated", firm.tenantId);
	expect(event?.data).toMatchObject({ branding: { logo_url }, version: 2 });
	expect((await office.audit(firm.slug, firm.token))[0]).toMatchObject({
		action: "tenant.settings_changed",
		actor_user_id: firm.userId,
		before: { branding: { logo_url: null } },
		after: { branding: { logo_url } },
	});
});

test("the metadata of an image is not stored, and its orientation is applied", async () => {
	const image = await plain(40, 20)
		.jpeg()
		.withMetadata({ orientation: 6, exif: { IFD0: { Copyright: "a private place" } } })
		.toBuffer();
	expect(image.includes("a private place")).toBe(true);
	const { logo_url } = (await upload({ content: image, type: "image/jpeg" })).json().branding;
	const { rawPayload } = await fetchLogo(logo_url);
	const { width, height, exif, icc, xmp } = await sharp(rawPayload).metadata();
	expect({ width, height, exif, icc, xmp }).toEqual({ width: 20, height: 40 });
	expect(rawPayload.includes("a private place")).toBe(false);
});

test("the previous logo stays available, and older ones are removed", async () => {
	const firm = await office.found();
	const urls: string[] = [];
	for (const side of [11, 12, 13])
		urls.push(
			(await upload({ content: await plain(side, side).png().toBuffer(), firm })).json().branding.logo_url,
		);
	const answers = await Promise.all(urls.map((url) => fetchLogo(url)));
	expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 200, 200]);
	expect(answers[0]?.json()).toMatchObject({ code: "logo_not_found" });
});

test("the same image twice is stored once", async () => {
	const firm = await office.found();
	const content = await plain(14, 14).png().toBuffer();
	const urls = await Promise.all([upload({ content, firm }), upload({ content, firm })]);
	expect(new Set(urls.map((answer) => answer.json().branding.logo_url)).size).toBe(1);
	expect(await stored(firm)).toHaveLength(1);
});

test("uploads at the same moment leave the present logo stored, and at most one other", async () => {
	const firm = await office.found();
	const images = await Promise.all([21, 22].map((side) => plain(side, side).png().toBuffer()));
	const answers = await Promise.all(images.map((content) => upload({ content, firm })));
	expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
	const { branding } = (await office.call("GET", `/api/v1/tenants/by-slug/${firm.slug}`)).json();
	expect((await fetchLogo(branding.logo_url)).statusCode).toBe(200);
	expect((await stored(firm)).length).toBeLessThanOrEqual(2);
});

test.each([
	["DELETE …/logo", (firm: Firm) => remove(firm), 204],
	[
		"null in the settings",
		(firm: Firm) =>
			office.call("PATCH", `/api/v1/tenants/${firm.slug}/settings`, {
				token: firm.token,
				body: { branding: { logo_url: null } },
			}),
		200,
	],
])("a logo removed by %s is not served any more", async (_by, removing, status) => {
	const firm = await office.found();
	const content = await plain(15, 15).png().toBuffer();
	const { logo_url } = (await upload({ content, firm })).json().branding;
	expect((await removing(firm)).statusCode).toBe(status);
	expect((await fetchLogo(logo_url)).statusCode).toBe(404);
	const { branding } = (await office.call("GET", `/api/v1/tenants/by-slug/${firm.slug}`)).json();
	expect(branding.logo_url).toBeNull();
});

test("erasing a tenant removes its logo", async () => {
	const firm = await office.found();
	const content = await plain(16, 16).png().toBuffer();
	const { logo_url } = (await upload({ content, firm })).json().branding;
	const token = await office.tokenOf("root@lango.example");
	const erased = await office.call("DELETE", `/api/v1/admin/tenants/${firm.tenantId}`, { token });
	expect(erased.statusCode).toBe(204);
	expect((await fetchLogo(logo_url)).statusCode).toBe(404);
});

test("a logo is found under its own tenant only", async () => {
	const firm = await office.found();
	const content = await plain(17, 17).png().toBuffer();
	const { logo_url } = (await upload({ content, firm })).json().branding;
	expect((await fetchLogo(logo_url.replace(firm.tenantId, own.tenantId))).statusCode).toBe(404);
});

type Refused = readonly [what: string, image: () => Promise<Sent["content"]>, code: string];
const refused: readonly Refused[] = [
	["text", async () => "not an image", "logo_unreadable"],
	["nothing", async () => undefined, "logo_unreadable"],
	["a GIF", () => plain(10, 10).gif().toBuffer(), "logo_unreadable"],
	["an SVG", async () => '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', "logo_unreadable"],
	["a JPEG named as a PNG", () => plain(10, 10).jpeg().toBuffer(), "logo_unreadable"],
	[
		"half a PNG",
		async () => {
			const image = await noise(64).png().toBuffer();
			return image.subarray(0, image.length / 2);
		},
		"logo_unreadable",
	],
	["an animated PNG", animatedPng, "logo_animated"],
	["an image that is too wide", () => plain(4_097, 2).png().toBuffer(), "logo_dimensions"],
	["an image that is too high", () => plain(2, 4_097).png().toBuffer(), "logo_dimensions"],
	["a header of 3600 million pixels", hugeHeader, "logo_dimensions"],
];

test.each(refused)(
	"%s is refused as a PNG logo, naming the body, and the logo stays",
	async (_what, image, code) => {
		const before = await stored(own);
		const content = await image();
		const answer = await upload(content === undefined ? {} : { content });
		expect(answer.statusCode).toBe(400);
		expect(answer.json()).toMatchObject({ code, field: "body", in: "body" });
		expect(await stored(own)).toEqual(before);
	},
);

test.each([
	["image/webp", async () => (await animated()).webp().toBuffer(), "logo_animated"],
	[
		"image/jpeg",
		async () => {
			const image = await noise(64).jpeg().toBuffer();
			return image.subarray(0, image.length / 2);
		},
		"logo_unreadable",
	],
	[
		"image/webp",
		async () => {
			const image = await noise(64).webp().toBuffer();
			return image.subarray(0, image.length / 2);
		},
		"logo_unreadable",
	],
])("an animated or damaged %s is refused", async (type, image, code) => {
	const answer = await upload({ content: await image(), type });
	expect(answer.statusCode).toBe(400);
	expect(answer.json()).toMatchObject({ code, field: "body" });
});

test("a file of more than 256 KB is refused with the limit, and one of 256 KB is read", async () => {
	const image = await plain(10, 10).png().toBuffer();
	const limit = 256 * 1_024;
	const padded = (length: number) => Buffer.concat([image, Buffer.alloc(length - image.length)]);
	const answer = await upload({ content: padded(limit + 1) });
	expect(answer.statusCode).toBe(413);
	expect(answer.json()).toMatchObject({ code: "body_too_large", limit_bytes: limit });
	expect(answer.json().error).toContain("256 KB");
	expect((await upload({ content: padded(limit) })).statusCode).toBe(200);
});

test.each([
	"image/gif",
	"image/svg+xml",
	"application/json",
	"text/plain",
	"multipart/form-data; boundary=x",
])("a logo of content type %s is refused", async (type) => {
	const answer = await upload({ content: '"x"', type });
	expect(answer.statusCode).toBe(415);
	expect(answer.json()).toMatchObject({ code: "media_type_unsupported" });
});

test("other addresses take no image", async () => {
	const answer = await signOn.app.inject({
		method: "PATCH",
		url: `/api/v1/tenants/${own.slug}/settings`,
		headers: { authorization: `Bearer ${own.token}`, "content-type": "image/png" },
		payload: await plain(5, 5).png().toBuffer(),
	});
	expect(answer.statusCode).toBe(415);
});

test("a member who may not change settings uploads and removes no logo", async () => {
	const root = await office.tokenOf("admin@uhai.example");
	const token = await office.tokenOf("nurse@uhai.example");
	const content = await plain(5, 5).png().toBuffer();
	expect((await upload({ content, firm: { slug: "uhai", token } })).statusCode).toBe(403);
	const removed = await office.call("DELETE", "/api/v1/tenants/uhai/logo", { token });
	expect(removed.statusCode).toBe(403);
	expect((await upload({ content, firm: { slug: "uhai", token: root } })).statusCode).toBe(200);
});

const texts = (type: string, before: string) =>
	Array.from({ length: 8 }, (_, at) =>
		chunkOf(type, Buffer.concat([Buffer.from(`text ${at}${before}`, "latin1"), expanding(30)])),
	);
test.each([
	["compressed texts", () => pngWith(...texts("zTXt", "\0\0"))],
	["compressed international texts", () => pngWith(...texts("iTXt", "\0\x01\0\0\0"))],
	["colour profiles", () => pngWith(...texts("iCCP", "\0\0"))],
])("%s that expand to hundreds of megabytes are not expanded", async (_what, image) => {
	// The memory of a process of its own, because its highest point is measured.
	const encoder = new URL("../src/images/logo-encoder.ts", import.meta.url).href;
	const program = `
		const { createLogoEncoder } = await import(${JSON.stringify(encoder)});
		const content = Buffer.from(await new Response(process.stdin).arrayBuffer());
		const before = process.resourceUsage().maxRSS;
		const { length } = await createLogoEncoder({ acceptedMax: 1 })({ content, mediaType: "image/png" });
		console.log(JSON.stringify({ length, kilobytes: process.resourceUsage().maxRSS - before }));`;
	const running = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
	running.child.stdin?.end(await image());
	const { length, kilobytes } = JSON.parse((await running).stdout);
	expect(length).toBeGreaterThan(0);
	expect(kilobytes).toBeLessThan(100_000);
});

test("a small colour profile of a PNG is applied", async () => {
	const encode = createLogoEncoder({ acceptedMax: 1 });
	const rgb = async (content: Buffer) => {
		const { data } = await sharp(await encode({ content, mediaType: "image/png" }))
			.removeAlpha()
			.raw()
			.toBuffer({ resolveWithObject: true });
		return [...data.subarray(0, 3)];
	};
	const wide = plain(20, 20).withIccProfile("p3", { attach: true });
	const [profiled, bare] = [await wide.png().toBuffer(), await plain(20, 20).png().toBuffer()];
	expect((await sharp(profiled).metadata()).icc).toBeDefined();
	const [shown, original] = [await rgb(profiled), await rgb(bare)];
	for (const [at, value] of original.entries()) expect(Math.abs((shown[at] ?? 0) - value)).toBeLessThan(4);
});

test("uploads are encoded one after the other; beyond a full queue they are refused with Retry-After", async () => {
	const encode = createLogoEncoder({ acceptedMax: 3 });
	const content = await noise(64).png().toBuffer();
	const finished: string[] = [];
	const send = async (mediaType: string) => {
		try {
			return await encode({ content, mediaType });
		} finally {
			finished.push(mediaType);
		}
	};
	const sent = ["image/png", "image/jpeg", "image/png", "image/webp"].map(send);
	const [first, wrong, third, surplus] = await Promise.allSettled(sent);
	expect([first?.status, third?.status]).toEqual(["fulfilled", "fulfilled"]);
	expect(wrong).toMatchObject({ status: "rejected", reason: { code: "logo_unreadable" } });
	expect(surplus).toMatchObject({
		status: "rejected",
		reason: { code: "logo_busy", kind: "unavailable", headers: { "retry-after": "2" } },
	});
	expect(finished).toEqual(["image/webp", "image/png", "image/jpeg", "image/png"]);
	await expect(send("image/png")).resolves.toBeInstanceOf(Buffer);
});
