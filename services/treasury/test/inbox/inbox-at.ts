import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuiltService, buildService } from "@lango/chassis";
import { type Answer, openStand, type Stand } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { type Inbox, openInbox } from "../../src/inbox/receive-delivery.ts";
import { treasury } from "../../src/service.ts";

/** The treasury on a database of its own; jobs run when a test says so. */
export type InboxAt = Stand & {
	/** The inbox of another process, with the same spool. */
	inbox: Pick<Inbox, "store" | "drain">;
	built: BuiltService;
	/** The folder of the spool. It does not exist before something is in it. */
	spoolDir: string;
	/** Sends bytes to a webhook. */
	post(url: string, raw: string | Buffer, headers?: Record<string, string>): Promise<Answer>;
};

/** The secret key with which the card gateway signs. */
export const cardKey = "sk_test_card";

/** Starts the treasury before the tests of the calling file, and stops it after them. */
export const setUpInbox = (environment: Record<string, string> = {}): InboxAt =>
	setUp(
		() => openInboxAt(environment),
		({ close }) => close(),
	);

async function openInboxAt(environment: Record<string, string>): Promise<InboxAt> {
	const folder = await mkdtemp(join(tmpdir(), "treasury-spool-"));
	const spoolDir = join(folder, "spool");
	const built: BuiltService[] = [];
	const stand = await openStand({
		service: treasury,
		build: async (service, options) => {
			const one = await buildService(service, { ...options, jobs: "by hand" });
			built.push(one);
			return one;
		},
		environment: {
			TREASURY_KEY_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
			TREASURY_SPOOL_DIR: spoolDir,
			CARDGW_SECRET_KEY: cardKey,
			LOG_LEVEL: "info",
			...environment,
		},
	});
	const [first] = built;
	if (first === undefined) throw new Error("the service was not built");
	const inbox = openInbox({
		db: first.db,
		log: { warn: () => undefined, error: () => undefined },
		spoolDir,
		counts: { repeated: () => undefined },
	});
	return {
		...stand,
		...{ built: first, spoolDir, inbox },
		post: (url, raw, headers) => stand.call({ method: "POST", url, headers, body: Buffer.from(raw) }),
		close: async () => {
			await inbox.stop();
			await stand.close();
			await rm(folder, { recursive: true });
		},
	};
}
