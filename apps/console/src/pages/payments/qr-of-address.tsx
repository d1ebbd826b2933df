import { create } from "qrcode";
import { useMemo } from "react";

/** The light edge that a camera needs around a code, in modules. */
const edge = 4;

/** Draws the QR code of an address, as the address of an image. */
export function drawAddress(address: string): string {
	const { modules } = create(address, { errorCorrectionLevel: "M" });
	const whole = modules.size + 2 * edge;
	const dark = Array.from(modules.data, (isDark, place) =>
		isDark ? `M${edge + (place % modules.size)} ${edge + Math.floor(place / modules.size)}h1v1h-1z` : "",
	).join("");
	const paper = `<path fill="#fff" d="M0 0h${whole}v${whole}h-${whole}z"/>`;
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${8 * whole}" height="${8 * whole}" viewBox="0 0 ${whole} ${whole}" shape-rendering="crispEdges">${paper}<path d="${dark}"/></svg>`;
	return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

type Words = { alt: string; download?: string };

/** The QR code of an address, which a phone opens; with a name for it also a link that stores it. */
export function QrOfAddress({ address, words, name }: { address: string; words: Words; name?: string }) {
	const image = useMemo(() => drawAddress(address), [address]);
	return (
		<div className="grid justify-items-start gap-4">
			<img className="w-full max-w-72 rounded-lg" src={image} alt={words.alt} />
			{name !== undefined && (
				<a
					className="font-semibold text-link underline underline-offset-4"
					href={image}
					download={`${name}.svg`}
				>
					{words.download}
				</a>
			)}
		</div>
	);
}
