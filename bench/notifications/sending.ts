import { setTimeout as sleep } from "node:timers/promises";
import { quantile, spreadOf } from "../figures.ts";
import { ms, rate, type Section, table, type Verdict } from "../report.ts";
import { settleTables } from "../settle-tables.ts";
import { processorMsOf } from "../sign-on/cores.ts";
import { memoryOf } from "../sign-on/processes.ts";
import { addBacklog, countOpen, leadTo, removeMessages, removeOwnProviders } from "./installation.store.ts";
import { limitOf } from "./measured.ts";
import { message, type Stage, type Target } from "./stage.ts";
import { post } from "./webhooks.ts";

const answerMs = 20;
const urgent = {
	channel: "email",
	template: "sign_on/verify_contact",
	data: { code: "482913" },
};
const arrivalSecondsMax = 30;

type Sending = { body: object; from: number; seconds: number; recipients?: number };
/** Times from a request to the arrival at the mail server, in milliseconds. */
type Delays = { p50: number; p95: number; most: number };

/** Sends messages at equal intervals, and waits until each is at the mail server. */
async function measureDelays(
	stage: Stage,
	target: Target,
	{ body, from, seconds, recipients = 1 }: Sending,
): Promise<Delays> {
	await stage.readMailServer();
	const sender = target.senders[from];
	if (sender === undefined) throw new Error(`there are no ${from + 1} tenants`);
	const isMany = recipients > 1;
	const { sentAt } = await stage.drive(
		{ ...target, senders: [sender] },
		{
			...{ tenants: 1, connections: 1, isTimed: true, settleSeconds: 0, recipients, seconds },
			message: { ...message, ...body },
			...(isMany ? { requests: 1 } : { perSecond: 10 }),
		},
	);
	const delays = new Map<string, number>();
	const end = Date.now() + arrivalSecondsMax * 1_000;
	while (delays.size < Object.keys(sentAt).length) {
		if (Date.now() > end) throw new Error(`${delays.size} of ${Object.keys(sentAt).length} messages came`);
		await sleep(200);
		const { arrivals } = await stage.readMailServer();
		for (const { to, at } of arrivals) {
			const sent = sentAt[to];
			if (sent !== undefined && !delays.has(to)) delays.set(to, at - sent);
		}
	}
	const all = [...delays.values()];
	return { p50: quantile(all, 0.5), p95: quantile(all, 0.95), most: Math.max(...all) };
}

type Window = { perSecond: number; ownUs: number; databaseUs: number; nowMb: number };

/** Measures how many mails a second come during each of `count` windows. */
async function measureRate(stage: Stage, target: Target, count: number): Promise<Window[]> {
	const windows: Window[] = [];
	const { pid } = target.running;
	const look = async () => ({
		at: performance.now(),
		taken: (await stage.readMailServer()).count,
		own: processorMsOf(pid),
		database: processorMsOf(stage.databasePid),
	});
	for (let at = 0; at < count; at += 1) {
		const before = await look();
		await sleep(stage.options.seconds * 1_000);
		const after = await look();
		const taken = after.taken - before.taken;
		windows.push({
			perSecond: (taken * 1_000) / (after.at - before.at),
			ownUs: ((after.own - before.own) * 1_000) / taken,
			databaseUs: ((after.database - before.database) * 1_000) / taken,
			nowMb: memoryOf(pid).nowMb,
		});
	}
	return windows;
}

const delayHead = ["request to arrival at the mail server", "p50 ms", "p95 ms", "longest ms"];
const delayRow = (name: string, { p50, p95, most }: Delays) => [
	name,
	...[p50, p95, most].map((figure) => figure.toFixed(0)),
];

/** Measures urgent messages and a request to 1,000 recipients without other load. */
export async function measureIdle(stage: Stage): Promise<Section> {
	const { options } = stage;
	const service = await stage.startService({ answerMs });
	const seconds = options.seconds * 2;
	await measureDelays(stage, service, { body: urgent, from: 0, seconds: options.warmUpSeconds });
	const alone = await measureDelays(stage, service, { body: urgent, from: 0, seconds });
	const normal = await measureDelays(stage, service, { body: message, from: 0, seconds });
	const many = await measureDelays(stage, service, { body: message, from: 0, seconds, recipients: 1_000 });
	await service.running.stop();
	await removeMessages(stage.admin);
	const rows = [
		delayRow("urgent", alone),
		delayRow("normal", normal),
		delayRow("one request to 1,000 recipients", many),
	];
	return {
		title: `Sending without other load, ${answerMs} ms per answer`,
		text: table(delayHead, rows),
		verdicts: [
			verdict("p95 of urgent messages, idle", { took: alone.p95, limit: 100 }),
			{
				...verdict("last of 1,000 recipients at the mail server", { took: many.most, limit: 3_000 }),
				ifNot: "A process sends them as fast as those of the backlog, whose processor time is stated there.",
			},
		],
	};
}

/** Measures a large backlog of one tenant: its rate, and the messages that others send meanwhile. */
export async function measureBacklog(stage: Stage): Promise<Section> {
	const { options, admin, tenantId } = stage;
	const service = await stage.startService({ answerMs });
	// The backlog consists of copies of the latest message; data with a code is deleted once it was sent.
	await measureDelays(stage, service, { body: message, from: 0, seconds: options.warmUpSeconds });
	await addBacklog(admin, { tenantId, deliveries: options.backlog, each: 1_000 });
	await settleTables(admin);
	await measureRate(stage, service, 1);
	const before = await countOpen(admin, "bulk");
	const windows = await measureRate(stage, service, options.runs);
	const other = await measureDelays(stage, service, { body: urgent, from: 1, seconds: options.seconds * 2 });
	const normal = await measureDelays(stage, service, {
		body: message,
		from: 2,
		seconds: options.seconds * 2,
	});
	const after = await countOpen(admin, "bulk");
	await service.running.stop();
	await removeMessages(admin);
	const rates = spreadOf(windows.map(({ perSecond }) => perSecond));
	const head = ["window", "mails a second", "own µs", "database µs", "memory MB"];
	const rows = windows.map(({ perSecond, ownUs, databaseUs, nowMb }, at) => [
		String(at + 1),
		...[perSecond, ownUs, databaseUs, nowMb].map((figure) => figure.toFixed(0)),
	]);
	const text = [
		`${before} deliveries waited when the first window began, ${after} at the end.`,
		table(head, rows),
		table(delayHead, [delayRow("urgent, another tenant", other), delayRow("normal, a third tenant", normal)]),
	].join("\n\n");
	return {
		title: `A backlog of ${options.backlog}, ${answerMs} ms per answer`,
		text,
		verdicts: [
			{
				...{ what: "Mails a second from the backlog", figure: rate(rates), target: "≥ 1,000" },
				...{ isReached: rates.middle >= 1_000, ifNot: limitOf(windows) },
			},
			flatness(windows),
			verdict("p95 of urgent messages during the backlog", { took: other.p95, limit: 250 }),
			verdict("p95 of another tenant's normal message", { took: normal.p95, limit: 2_000 }),
		],
	};
}

/** Measures the rate of a backlog of a tenant whose e-mails go through a provider with an HTTP API. */
export async function measureHttp(stage: Stage): Promise<Section> {
	const { options, admin, tenantId } = stage;
	const service = await stage.startService({ answerMs });
	const provider = { channel: "email", kind: "postmark", name: "bench" };
	const { id } = (await post(service, "/providers", {
		...{ ...provider, credentials: { serverToken: "bench", fromAddress: "bench@bench.example" } },
	})) as { id: string };
	await leadTo(admin, { id, url: stage.mailServerUrl() });
	await measureDelays(stage, service, { body: message, from: 0, seconds: options.warmUpSeconds });
	await addBacklog(admin, { tenantId, deliveries: options.backlog / 10, each: 1_000 });
	await settleTables(admin);
	await measureRate(stage, service, 1);
	const windows = await measureRate(stage, service, options.runs);
	await service.running.stop();
	await removeMessages(admin);
	await removeOwnProviders(admin);
	const cells = [windows.map((one) => one.perSecond), windows.map((one) => one.ownUs)].map(ms);
	const rates = spreadOf(windows.map(({ perSecond }) => perSecond));
	return {
		title: `E-mail by an HTTP API, ${answerMs} ms per answer`,
		text: table(
			["", "mails a second", "own µs"],
			[["the API of Postmark, a connection for each mail", ...cells]],
		),
		verdicts: [
			{
				...{ what: "Mails a second by an HTTP API", figure: rate(rates), target: "≥ 1,000" },
				...{ isReached: rates.middle >= 1_000, ifNot: limitOf(windows) },
			},
		],
	};
}

/** How much of the rate of the first window the last one must have, and how much more memory it may take. */
const [rateLeast, memoryMost] = [0.8, 1.2];

function flatness(windows: readonly Window[]): Verdict {
	const [first, last] = [windows[0], windows.at(-1)];
	if (first === undefined || last === undefined) throw new Error("nothing was measured");
	const [rateOf, memory] = [last.perSecond / first.perSecond, last.nowMb / first.nowMb];
	return {
		what: "Last window of the backlog against the first",
		figure: `rate ${rateOf.toFixed(2)} ×, memory ${memory.toFixed(2)} ×`,
		target: `≥ ${rateLeast} ×, ≤ ${memoryMost} ×`,
		isReached: rateOf >= rateLeast && memory <= memoryMost,
		ifNot: "",
	};
}

/** Measures how fast the peer sends what was put into its queue. */
export async function measurePeerSending(stage: Stage): Promise<Section> {
	const { connections, seconds } = stage.options;
	const loading = await stage.startPeer();
	await stage.drive(loading, { tenants: 1, connections, seconds: seconds * 2 });
	await loading.running.stop();
	const peer = await stage.startPeer({ answerMs });
	await measureRate(stage, peer, 1);
	const windows = await measureRate(stage, peer, stage.options.runs);
	await peer.running.stop();
	const cells = [windows.map((one) => one.perSecond), windows.map((one) => one.ownUs)].map(ms);
	return {
		title: `The peer sends, ${answerMs} ms per answer`,
		text: table(["", "mails a second", "own µs"], [["pg-boss and nodemailer, 64 jobs at once", ...cells]]),
		verdicts: [],
	};
}

function verdict(what: string, { took, limit }: { took: number; limit: number }): Verdict {
	const target = `< ${limit} ms`;
	return { what, figure: `${took.toFixed(0)} ms`, target, isReached: took < limit, ifNot: "" };
}
