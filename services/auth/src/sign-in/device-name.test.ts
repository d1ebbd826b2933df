import { expect, test } from "vitest";
import { deviceNameOf } from "./device-name.ts";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const ofMac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";

test.each([
	["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Windows"],
	[
		`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0 Safari/537.36 Edg/140.0`,
		"Edge, Windows",
	],
	[
		`Mozilla/5.0 (Linux; Android 15; SM-A556E) ${webkit} Chrome/140.0 Mobile Safari/537.36`,
		"Chrome, Android",
	],
	[`${ofMac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`, "Safari, macOS"],
	[
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) CriOS/140.0 Mobile Safari/604.1",
		"Chrome, iPhone",
	],
	["curl/8.9.1", "unknown"],
	["<b>Call 0700 000 000</b> (Linux)", "Linux"],
	["", "unknown"],
])("%s is named %s", (userAgent, name) => {
	expect(deviceNameOf(userAgent)).toBe(name);
});
