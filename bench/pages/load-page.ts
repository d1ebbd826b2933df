import type { BrowserContext, Page } from "playwright-core";

/** What one cold load of a page took. Times in milliseconds since the navigation. */
export type Load = {
	/** Requests that were sent before the content was there, documents included. */
	requestsBefore: number;
	/** Requests until the network was idle. */
	requests: number;
	documents: number;
	/** Bytes of all answers as they were transferred. */
	bytes: number;
	contentMs: number;
	firstPaintMs: number;
	largestPaintMs: number;
	shift: number;
	blockedMs: number;
	/** Messages of the console that are errors. */
	errors: readonly string[];
};

/** A phone on a mobile network: 1.6 Mbit/s down, 750 kbit/s up, 150 ms, a quarter of the processor. */
const network = {
	offline: false,
	latency: 150,
	downloadThroughput: 1_600_000 / 8,
	uploadThroughput: 750_000 / 8,
};
const slowdown = 4;
/** A load has ended when no request began or ended for this long after the content was there. */
const quietMilliseconds = 1_500;
export const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Collects the figures inside the page, from before its first script on. */
const observe = `
	window.figures = { largest: 0, shift: 0, long: [], content: undefined };
	const watch = (type, take) =>
		new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
	watch("largest-contentful-paint", (entry) => { figures.largest = entry.startTime; });
	watch("layout-shift", (entry) => { if (!entry.hadRecentInput) figures.shift += entry.value; });
	watch("longtask", ({ startTime, duration }) => { figures.long.push({ startTime, duration }); });
	addEventListener("DOMContentLoaded", () => {
		const look = () => {
			const heading = document.querySelector(window.contentSelector);
			if (heading === null) return;
			figures.content ??= performance.now();
			seen.disconnect();
			contentSeen("");
		};
		const seen = new MutationObserver(look);
		seen.observe(document, { childList: true, subtree: true });
		look();
	});
`;

type Figures = {
	largest: number;
	shift: number;
	long: readonly { startTime: number; duration: number }[];
	content: number;
	firstPaint: number;
	origin: number;
};

/** Loads an address in a new page of the window, whose cache is empty. The content is the first match. */
export async function loadPage(window: BrowserContext, address: string, content: string): Promise<Load> {
	const page = await window.newPage();
	const sent: number[] = [];
	let [documents, bytes] = [0, 0];
	const errors: string[] = [];
	page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
	await page.addInitScript(`window.contentSelector = ${JSON.stringify(content)}; ${observe}`);
	const debug = await window.newCDPSession(page);
	await debug.send("Network.enable");
	let lastAt = Date.now();
	debug.on("Network.requestWillBeSent", ({ request, wallTime, type, redirectResponse }) => {
		if (!request.url.startsWith("http")) return;
		lastAt = Date.now();
		sent.push(wallTime * 1_000);
		if (type === "Document" && redirectResponse === undefined) documents += 1;
	});
	debug.on("Network.loadingFinished", ({ encodedDataLength }) => {
		lastAt = Date.now();
		bytes += encodedDataLength;
	});
	// The page calls a binding: a wait of the test tool would run a large script of its own in the page.
	await debug.send("Runtime.enable");
	await debug.send("Runtime.addBinding", { name: "contentSeen" });
	const isSeen = new Promise<void>((resolve) => debug.once("Runtime.bindingCalled", () => resolve()));
	await debug.send("Network.emulateNetworkConditions", network);
	await debug.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
	const begin = Date.now();
	await page.goto(address, { waitUntil: "commit", timeout: 60_000 });
	await inTime(isSeen, `${address} did not show ${content}.`);
	// The content is painted after it was inserted, perhaps long after the last request.
	lastAt = Date.now();
	while (Date.now() - lastAt < quietMilliseconds) await page.waitForTimeout(100);
	const figures = await readFigures(page);
	await page.close();
	// A page that was left and loaded again counts from the first address on.
	const before = figures.origin - begin;
	const end = begin + before + figures.content;
	return {
		requestsBefore: sent.filter((at) => at <= end).length,
		requests: sent.length,
		documents,
		bytes,
		contentMs: before + figures.content,
		firstPaintMs: before + figures.firstPaint,
		largestPaintMs: before + figures.largest,
		shift: figures.shift,
		blockedMs: figures.long
			.filter(({ startTime }) => startTime >= figures.firstPaint)
			.reduce((sum, { duration }) => sum + Math.max(0, duration - 50), 0),
		errors,
	};
}

/** Waits for a promise, at most for a minute. Throws an Error with the text after that. */
async function inTime(awaited: Promise<void>, fault: string): Promise<void> {
	const limit = Promise.withResolvers<never>();
	const timer = setTimeout(() => limit.reject(new Error(fault)), 60_000);
	await Promise.race([awaited, limit.promise]).finally(() => clearTimeout(timer));
}

const readFigures = (page: Page) =>
	page.evaluate(`({
		...figures,
		firstPaint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
		origin: performance.timeOrigin,
	})`) as Promise<Figures>;
