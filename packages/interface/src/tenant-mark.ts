/** How a tenant shows itself on the sign-in page. */
export type TenantMark = {
	/** The address of its logo, when it has one that may be shown. */
	logo: string | undefined;
	/** Its first letter or figure, for when there is no logo. */
	letter: string;
	/** Its colour with a text colour that can be read on it; absent without a colour of its own. */
	colours: { background: string; text: string } | undefined;
};

type Branded = { name: string; branding: { logo_url: string | null; colour: string | null } };

/** Reads a tenant's mark from its branding. A logo is shown over https or from the sign-on service itself, never else. */
export function tenantMark({ name, branding }: Branded, authUrl: string): TenantMark {
	const logo = branding.logo_url === null ? null : URL.parse(branding.logo_url);
	const mayShow = logo !== null && (logo.protocol === "https:" || logo.origin === new URL(authUrl).origin);
	return {
		logo: mayShow ? logo.href : undefined,
		letter: name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? "·",
		colours: branding.colour === null ? undefined : readableOn(branding.colour),
	};
}

/** White or near-black, whichever stands out more (WCAG 2.2 relative luminance); undefined unless #rrggbb. */
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
