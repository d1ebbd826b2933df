import type { Browser } from "playwright-core";
import { openWindow, startBrowser } from "../../tests/journeys/browser.ts";
import { type RunningPlatform, startPlatform } from "../../tests/journeys/running-platform.ts";
import { median } from "../figures.ts";
import { type Facts, type Run, reportBench, type Section, table } from "../report.ts";
import { type Load, loadPage, phone } from "./load-page.ts";
import { type Part, readOptions } from "./options.ts";

type Stage = { browser: Browser; urls: RunningPlatform["urls"]; runs: number };

/** Measures cold loads of the console and of the sign-in page, as a phone on a mobile network sees them. */
export const pages = (words: readonly string[]): Promise<void> =>
	reportBench("pages", words, (run) => measure(run, words));

const work: Readonly<Record<Part, (stage: Stage) => Promise<Section>>> = {
	overview: measureOverview,
	"sign-in": measureSignIn,
};

async function measure({ add }: Run, words: readonly string[]): Promise<Facts | undefined> {
	const { runs, only, isWhole } = readOptions(words);
	const platform = await startPlatform();
	const browser = await startBrowser();
	try {
		const stage = { browser, urls: platform.urls, runs };
		for (const part of only) add(await work[part](stage));
		if (!isWhole) return undefined;
		return {
			packages: ["vite", "react", "playwright-core"],
			lines: {
				browser: `Chromium ${browser.version()}, 390 × 844 px, a quarter of the processor`,
				network: "1.6 Mbit/s down, 750 kbit/s up, 150 ms per request, empty cache",
			},
		};
	} finally {
		await browser.close();
		await platform.stop();
	}
}

/** The overview of a tenant, for an administrator who is signed in and used the console before. */
async function measureOverview({ browser, urls, runs }: Stage): Promise<Section> {
	const loads = await repeat(runs, async () => {
		const window = await openWindow(browser, { width: phone.viewport.width, height: phone.viewport.height });
		try {
			await window.request.post(`${urls.auth}/api/v1/auth/login`, {
				headers: { origin: urls.accounts },
				data: { email: "owner@kahawa.example", password: "Karibu-2026!" },
			});
			// What the console keeps of an earlier visit: apps/console/src/session/session-hint.ts.
			await window.addInitScript(`localStorage.setItem("lango-console-session", "1")`);
			return await loadPage(window, `${urls.console}/kahawa`, "main section");
		} finally {
			await window.close();
		}
	});
	const [requests, shift, paint, blocked] = [
		middle(loads, "requestsBefore"),
		middle(loads, "shift"),
		middle(loads, "largestPaintMs"),
		middle(loads, "blockedMs"),
	];
	return {
		title: "Overview of the console",
		text: describe(loads),
		verdicts: [
			below("overview: requests before the content", requests, { target: 30, format: String }),
			below("overview: layout shift (CLS)", shift, { target: 0.05, format: (figure) => figure.toFixed(3) }),
			below("overview: largest paint (LCP)", paint, { target: 2_500, format: seconds }),
			below("overview: blocked time (TBT)", blocked, { target: 300, format: inMs }),
		],
	};
}

/** The sign-in page of a person who was never here. */
async function measureSignIn({ browser, urls, runs }: Stage): Promise<Section> {
	const loads = await repeat(runs, async () => {
		const window = await openWindow(browser, { width: phone.viewport.width, height: phone.viewport.height });
		try {
			return await loadPage(window, `${urls.accounts}/login`, 'input[type="password"]');
		} finally {
			await window.close();
		}
	});
	return {
		title: "Sign-in page",
		text: describe(loads),
		verdicts: [
			below("sign-in: largest paint (LCP)", middle(loads, "largestPaintMs"), {
				target: 2_000,
				format: seconds,
			}),
		],
	};
}

async function repeat(runs: number, load: () => Promise<Load>): Promise<Load[]> {
	const loads: Load[] = [];
	while (loads.length < runs) loads.push(await load());
	return loads;
}

const middle = (loads: readonly Load[], name: keyof Omit<Load, "errors">) =>
	median(loads.map((load) => load[name]));
const seconds = (figure: number) => `${(figure / 1_000).toFixed(2)} s`;
const inMs = (figure: number) => `${Math.round(figure)} ms`;

type Format = (figure: number) => string;

const below = (what: string, figure: number, { target, format }: { target: number; format: Format }) => ({
	what,
	figure: format(figure),
	target: `< ${format(target)}`,
	isReached: figure < target,
	ifNot: "",
});

const rows: ReadonlyArray<readonly [keyof Omit<Load, "errors">, string, Format]> = [
	["documents", "documents", String],
	["requestsBefore", "requests before the content", String],
	["requests", "requests until the network is idle", String],
	["bytes", "bytes transferred", (figure) => `${Math.round(figure / 1_000)} kB`],
	["firstPaintMs", "first paint (FCP)", seconds],
	["contentMs", "content in the document", seconds],
	["largestPaintMs", "largest paint (LCP)", seconds],
	["shift", "layout shift (CLS)", (figure) => figure.toFixed(3)],
	["blockedMs", "blocked time (TBT)", inMs],
];

/** The medians of the loads with their extremes, and the errors of the browser's console. */
function describe(loads: readonly Load[]): string {
	const lines = rows.map(([name, what, format]) => {
		const figures = loads.map((load) => load[name]);
		return [
			what,
			format(median(figures)),
			`${format(Math.min(...figures))} to ${format(Math.max(...figures))}`,
		];
	});
	const errors = new Set(loads.flatMap((load) => load.errors));
	const said = errors.size === 0 ? "none" : [...errors].map((one) => `\`${one}\``).join(", ");
	return `${table(["", "median", "range"], lines)}\n\nErrors in the browser's console: ${said}.`;
}
