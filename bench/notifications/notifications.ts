import { type Facts, type Run, reportBench, type Section } from "../report.ts";
import { countStatements, describeDurability } from "../sign-on/installation.store.ts";
import { printStatements } from "../sign-on/print-statements.ts";
import { measureAccepting, measureManyRecipients } from "./accept.ts";
import { type Part, readOptions } from "./options.ts";
import { measureBacklog, measureHttp, measureIdle, measurePeerSending } from "./sending.ts";
import { openStage, type Stage } from "./stage.ts";
import { measureStreams } from "./streams.ts";
import { measureWebhooks } from "./webhooks.ts";

const work: ReadonlyArray<readonly [Part, (stage: Stage) => Promise<Section>]> = [
	["accept", measureAccepting],
	["many", measureManyRecipients],
	["idle", measureIdle],
	["backlog", measureBacklog],
	["http", measureHttp],
	["peer", measurePeerSending],
	["webhooks", measureWebhooks],
	["streams", measureStreams],
];

/**
 * Measures the notification service. After a run of all parts at full size it writes its page, otherwise it
 * only prints.
 */
export function notifications(words: readonly string[]): Promise<void> {
	return reportBench("notifications", words, (run) => measure(run, words));
}

async function measure({ add }: Run, words: readonly string[]): Promise<Facts | undefined> {
	const options = readOptions(words);
	const stage = await openStage(options);
	try {
		const durability = await describeDurability(stage.adminUrl);
		if (options.isProfiled) await countStatements(stage.adminUrl);
		for (const [part, measurePart] of work) if (options.only.includes(part)) add(await measurePart(stage));
		if (options.isProfiled) await printStatements(stage.adminUrl, ["bench_notifications"]);
		if (!options.isWhole) return undefined;
		const { isSplit, server, rest } = stage.cores;
		const cores = isSplit
			? `the measured server on core ${server}; PostgreSQL, the driver, the mail server, the issuer and the subscription service on ${rest}`
			: "not pinned";
		return {
			packages: ["fastify", "pg", "nodemailer", "pg-boss"],
			lines: { "database, the same for all": durability, cores },
		};
	} finally {
		await stage.close();
	}
}
