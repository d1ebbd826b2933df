/** A tenant's appearance on the sign-in page. */
export type TenantMark = {
	/** The address of its logo, if there is one that pages may load. */
	logo: string | undefined;
	/** Its first letter or digit, used without a logo. */
	letter: string;
	/** Its colour and a readable text colour. Undefined if it has no colour. */
	colours: { background: string; text: string } | undefined;
};

type Branded = { name: string; branding: { logo_url: string | null; colour: string | null } };

/** The path of an uploaded logo at the sign-on service. */
const uploadedPath = /^\/api\/v1\/tenants\/[0-9a-f-]{36}\/logo\/[0-9a-f]{64}$/;

/**
 * Whether pages may load a logo from an address: an uploaded logo of the sign-on service, or an https
 * address of another host from before uploads existed. Other addresses of the sign-on service are
 * refused, because the browser sends the session cookie to them.
 */
function mayLoad(logo: URL, authUrl: string): boolean {
	if (logo.hostname !== new URL(authUrl).hostname) return logo.protocol === "https:";
	return logo.origin === new URL(authUrl).origin && uploadedPath.test(logo.pathname) && logo.search === "";
}

/** Reads a tenant's mark from its branding. */
export function tenantMark({ name, branding }: Branded, authUrl: string): TenantMark {
	const logo = branding.logo_url === null ? null : URL.parse(branding.logo_url);
	return {
		logo: logo !== null && mayLoad(logo, authUrl) ? logo.href : undefined,
		letter: name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? "·",
		colours: branding.colour === null ? undefined : readableOn(branding.colour),
	};
}

/** White or near-black, by contrast (WCAG 2.2 relative luminance). Undefined if not #rrggbb. */
function readableOn(colour: string): { background: string; text: string } | undefined {
	const parts = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour)?.slice(1);
	if (parts === undefined) return undefined;
	const [red = 0, green = 0, blue = 0] = parts.map((hex) => linear(Number.parseInt(hex, 16) / 255));
	const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
	return { background: colour, text: luminance > 0.179 ? "#000000" : "#ffffff" };
}

function linear(channel: number): number {
	return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
