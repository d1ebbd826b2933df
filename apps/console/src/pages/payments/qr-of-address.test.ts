import { create } from "qrcode";
import { expect, test } from "vitest";
import { drawAddress } from "./qr-of-address.tsx";

test("the code of an address has every dark module at its place, and a light edge of four", () => {
	const address = "https://pay.example/pay/4f7Zb0tXn1w6g2";
	const { modules } = create(address, { errorCorrectionLevel: "M" });
	const svg = decodeURIComponent(drawAddress(address));
	expect(svg).toContain(`viewBox="0 0 ${modules.size + 8} ${modules.size + 8}"`);
	const drawn = [...svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`);
	const dark = [...modules.data].flatMap((isDark, place) =>
		isDark ? [`${4 + (place % modules.size)} ${4 + Math.floor(place / modules.size)}`] : [],
	);
	expect(drawn).toEqual(dark);
});
