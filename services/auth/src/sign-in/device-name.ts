/** The first match counts: browsers name those that they descend from, too. */
const browsers: ReadonlyArray<readonly [RegExp, string]> = [
	[/\bEdg(?:e|A|iOS)?\//, "Edge"],
	[/\bOPR\//, "Opera"],
	[/\bSamsungBrowser\//, "Samsung Internet"],
	[/\b(?:Firefox|FxiOS)\//, "Firefox"],
	[/\b(?:Chrome|CriOS)\//, "Chrome"],
	[/\bVersion\/[\d.]+.* Safari\//, "Safari"],
];
const systems: ReadonlyArray<readonly [RegExp, string]> = [
	[/\bAndroid\b/, "Android"],
	[/\biPad\b/, "iPad"],
	[/\biPhone\b/, "iPhone"],
	[/\bWindows\b/, "Windows"],
	[/\bCrOS\b/, "ChromeOS"],
	[/\bMac OS X\b/, "macOS"],
	[/\bLinux\b/, "Linux"],
];

/**
 * Names a device by its User-Agent, such as "Firefox, Windows"; "unknown" if neither is known. The text is
 * from these tables only, so that a caller cannot write into a mail.
 */
export function deviceNameOf(userAgent: string): string {
	const known = [browsers, systems].flatMap((table) => {
		const found = table.find(([pattern]) => pattern.test(userAgent));
		return found === undefined ? [] : [found[1]];
	});
	return known.length === 0 ? "unknown" : known.join(", ");
}
