import { join } from "node:path";
import {
	buildSandboxApp,
	createAgenda,
	createClock,
	createDeliveries,
	createFaults,
	createIds,
	createListeners,
	guardControl,
	installDocs,
	installPage,
	listen,
	openRows,
	type Rows,
} from "@lango/sandbox-base";
import { createBackground } from "./callbacks/background.ts";
import { installControl } from "./control/control.routes.ts";
import { installPhones } from "./control/phones.routes.ts";
import { installGateway } from "./gateway/gateway.routes.ts";
import { type KeyPair, setKeyPair } from "./requests/key-pair.ts";
import type { Behaviour, Sandbox, Tables } from "./sandbox.ts";
import { endWork, openState } from "./state.ts";

/** The port of the sandbox. */
export const defaultPort = 4090;

export type SandboxOptions = Partial<Omit<Behaviour, "pathPrefixes">> & {
	/** 0 chooses a free port. Default: `defaultPort`. */
	port?: number;
	/** Default: 127.0.0.1. */
	host?: string;
	/** Ids and chance follow from it. Default: `lango`. */
	seed?: string;
	/**
	 * An append-only file of the state. What it contains is read first. Default: the state is only in memory.
	 */
	truthFile?: string;
	/** A further prefix of the API's paths, beside `mobilemoney`. */
	pathAlias?: string;
	/** Other machines may use `/_control` and the page, too. */
	isControlOpen?: boolean;
	/** The gateway's key. Default: it is made when it is asked for, or read from the file. */
	keyPair?: KeyPair;
	/** The real time, for tests. */
	now?: () => Date;
};

export type MobileMoneySandbox = {
	/** The address of the page, of `/_control`, and of the API. */
	url: string;
	stop(): Promise<void>;
};

/** Starts the sandbox in this process. Throws if the port is in use or the file cannot be opened. */
export async function startMobileMoneySandbox(options: SandboxOptions = {}): Promise<MobileMoneySandbox> {
	const sandbox = openSandbox(options);
	const app = buildSandboxApp();
	await installDocs(app, {
		title: "Mobile-money sandbox",
		description: "Imitates a mobile-money gateway, for development and tests. No real money moves.",
	});
	guardControl(app, { prefix: "/_control", isOpen: options.isControlOpen ?? false });
	installPage(app, join(import.meta.dirname, "page"));
	installControl(app, sandbox);
	installPhones(app, sandbox);
	installGateway(app, sandbox);
	const url = await listen(app, { port: options.port ?? defaultPort, host: options.host ?? "127.0.0.1" });
	return {
		url,
		stop: async () => {
			endWork(sandbox);
			await app.close();
			sandbox.rows.close();
		},
	};
}

function openSandbox(options: SandboxOptions): Sandbox {
	const clock = createClock(options.now);
	const ids = createIds(options.seed ?? "lango");
	const rows = openRows(options.truthFile);
	const sandbox: Sandbox = {
		...{ clock, ids, rows },
		tables: openTables(rows),
		agenda: createAgenda(clock),
		faults: createFaults(ids),
		// The real gateway sends each callback once.
		deliveries: createDeliveries({ clock, pausesMs: [] }),
		background: createBackground(),
		changes: createListeners<undefined>(),
		behaviour: readBehaviour(options),
	};
	if (options.keyPair !== undefined) setKeyPair(sandbox, options.keyPair);
	openState(sandbox);
	return sandbox;
}

const openTables = (rows: Rows): Tables => ({
	shortcodes: rows.table("shortcodes"),
	phones: rows.table("phones"),
	tokens: rows.table("tokens"),
	prompts: rows.table("prompts"),
	lastPayments: rows.table("last payments"),
	requests: rows.table("requests"),
	originators: rows.table("originators"),
	orders: rows.table("standing orders"),
	keys: rows.table("keys"),
	movements: rows.table("movements"),
	balances: rows.table("balances"),
});

const readBehaviour = (options: SandboxOptions): Behaviour => ({
	pathPrefixes: ["mobilemoney", ...(options.pathAlias === undefined ? [] : [options.pathAlias])],
	receiptKey: options.receiptKey ?? "MobileMoneyReceiptNumber",
	followAfterMs: options.followAfterMs ?? 300,
	promptSeconds: options.promptSeconds ?? 60,
	sameAmountSeconds: options.sameAmountSeconds ?? 120,
	frequencies: options.frequencies ?? "specified",
});
