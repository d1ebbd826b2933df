import { median, spreadOf } from "../figures.ts";
import { rate, type Section, table } from "../report.ts";
import { settleTables } from "../settle-tables.ts";
import { addSent, countReported, removeMessages } from "./installation.store.ts";
import { limitOf, measuredHead, measuredRow } from "./measured.ts";
import type { Measured, Stage, Target } from "./stage.ts";
import { plainWebhook, provideWebhook } from "./webhook.ts";

/** More reports than come within the runs are about deliveries that exist. */
const reportsPerSecondMax = 4_000;
const connections = 32;

/**
 * Measures webhooks of one report each: verified, stored and answered, beside peer and floor. Reports are
 * applied meanwhile.
 */
export async function measureWebhooks(stage: Stage): Promise<Section> {
	const { options, admin, tenantId } = stage;
	const service = await stage.startService();
	const { providerId, ...webhook } = await provideWebhook((path, body) => post(service, path, body));
	await stage.drive(service, { tenants: 1, seconds: 1, connections: 1, settleSeconds: 0, requests: 1 });
	const seconds = options.warmUpSeconds + options.runs * (options.seconds + 1);
	await addSent(admin, { tenantId, providerId, deliveries: seconds * reportsPerSecondMax, each: 1_000 });
	await settleTables(admin);
	const drive = (lasting: number) =>
		stage.drive(service, { tenants: 0, seconds: lasting, connections, webhook });
	await drive(options.warmUpSeconds);
	const before = { applied: await countReported(admin), at: performance.now() };
	const outcomes: Measured[] = [];
	for (let run = 0; run < options.runs; run += 1) outcomes.push(await drive(options.seconds));
	const applied = (await countReported(admin)) - before.applied;
	const appliedPerSecond = (applied * 1_000) / (performance.now() - before.at);
	await service.running.stop();
	await removeMessages(admin);
	const boss = await measurePlain(stage, await stage.startPeer());
	const bare = await measurePlain(stage, await stage.startFloor());
	const rates = spreadOf(outcomes.map(({ perSecond }) => perSecond));
	const p99 = median(outcomes.map((one) => one.p99));
	const rows = [
		measuredRow("webhooks of one report", outcomes),
		measuredRow("pg-boss: one job per webhook", boss),
		measuredRow("bare route, one insert", bare),
	];
	const because = `${limitOf(outcomes)} The same process applies the reports meanwhile.`;
	return {
		title: "Webhooks",
		text: `${table(measuredHead, rows)}\n\nMeanwhile ${appliedPerSecond.toFixed(0)} reports a second were applied to their deliveries.`,
		verdicts: [
			{
				...{ what: "Webhooks verified and stored a second", figure: rate(rates), target: "≥ 2,000" },
				...{ isReached: rates.middle >= 2_000, ifNot: because },
			},
			{
				...{ what: "p99 of a webhook", figure: `${p99.toFixed(1)} ms`, target: "< 25 ms" },
				...{ isReached: p99 < 25, ifNot: because },
			},
		],
	};
}

/** Measures the same webhooks at the peer or the floor, and stops it. */
async function measurePlain({ options, drive }: Stage, target: Target): Promise<Measured[]> {
	const load = { tenants: 0, connections, webhook: plainWebhook };
	await drive(target, { ...load, seconds: options.warmUpSeconds });
	const outcomes: Measured[] = [];
	for (let run = 0; run < options.runs; run += 1)
		outcomes.push(await drive(target, { ...load, seconds: options.seconds }));
	await target.running.stop();
	return outcomes;
}

/** Calls a route of the first tenant as its administrator. */
export async function post({ running, senders }: Target, path: string, body?: object): Promise<unknown> {
	const [sender] = senders;
	if (sender === undefined) throw new Error("there are no tenants");
	const answer = await fetch(`${running.url}${sender.path.replace(/\/messages$/, path)}`, {
		method: "POST",
		headers: { authorization: `Bearer ${sender.token}`, ...(body && { "content-type": "application/json" }) },
		...(body && { body: JSON.stringify(body) }),
	});
	if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
	return answer.json();
}
