import { isLink } from "../template.ts";

/** How a tenant shows itself in e-mails. Without a logo its name is shown. */
export type Branding = { tenantName: string; logoUrl?: string; colour?: string };

/** The suite's own colour of actions. */
const defaultColour = "#0f4a48";

/** The colour of buttons, and black or white on it, whichever has more contrast (WCAG 2.2). */
export function readableColours(colour: string | undefined): { background: string; text: string } {
	const background = colour !== undefined && /^#[0-9a-f]{6}$/i.test(colour) ? colour : defaultColour;
	const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) =>
		linear(Number.parseInt(background.slice(start, start + 2), 16) / 255),
	);
	const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
	return { background, text: luminance > 0.179 ? "#000000" : "#ffffff" };
}

const linear = (channel: number): number =>
	channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;

/** The logo's address if e-mails may load it; empty otherwise. */
export const logoOf = ({ logoUrl = "" }: Branding): string => (isLink(logoUrl, true) ? logoUrl : "");
