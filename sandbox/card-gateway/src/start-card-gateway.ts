import { join } from "node:path";
import {
	buildSandboxApp,
	createAgenda,
	createClock,
	createDeliveries,
	createFaults,
	createIds,
	guardControl,
	installClock,
	installDocs,
	installPage,
	listen,
	openRows,
} from "@lango/sandbox-base";
import type { FastifyInstance } from "fastify";
import { installApi } from "./answers/install-api.ts";
import { installCheckout } from "./checkout/checkout.routes.ts";
import { installControl } from "./control/control.routes.ts";
import { disputeRoutes } from "./disputes/dispute.routes.ts";
import type { Gateway, Settings } from "./gateway.ts";
import { installOverview } from "./overview/overview.routes.ts";
import { installPaymentPages, pageRoutes } from "./pages/payment-page.routes.ts";
import { planRoutes } from "./plans/plan.routes.ts";
import { recipientRoutes } from "./recipients/recipient.routes.ts";
import { createStore } from "./records/store.ts";
import { refundRoutes } from "./refunds/refund.routes.ts";
import { settlementRoutes } from "./settlements/settlement.routes.ts";
import { createPlanner } from "./tasks/planner.ts";
import { runTask } from "./tasks/run-task.ts";
import { transactionRoutes } from "./transactions/transaction.routes.ts";
import { transferRoutes } from "./transfers/transfer.routes.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

/** The port of the gateway. */
export const defaultPort = 4091;
/** The secret key of a gateway that is given none. */
export const defaultSecretKey = "sk_test_lango_sandbox";

export type CardGatewayOptions = Partial<Omit<Settings, "publicUrl">> & {
	/** 0 chooses a free port. Default: `defaultPort`. */
	port?: number;
	/** Default: 127.0.0.1. */
	host?: string;
	/** Ids, codes, and the chance of faults follow from it. Default: `lango`. */
	seed?: string;
	/** An append-only file of everything that the gateway knows. What it contains is read first. */
	stateFile?: string;
	/** Where a browser reaches the gateway. Default: where it listens. */
	publicUrl?: string;
	/** Where events go. Default: nowhere, until `PUT /_control/webhook`. */
	webhookUrl?: string;
	/** The calls answer below this path, too: `/cardgw`. */
	pathPrefix?: string;
	/** Transfers wait for a one-time password. Default: no. */
	isOtpRequired?: boolean;
	/** Other machines may use `/_control`. Default: no. */
	isControlOpen?: boolean;
	/** The real pauses before a webhook is sent again, in milliseconds. */
	webhookPausesMs?: readonly number[];
	/** The real time, for tests. */
	now?: () => Date;
};

export type CardGateway = { url: string; stop(): Promise<void> };

/** 72 hours, as the real gateway: soon at first, then every hour. */
const pausesMs = [
	1_000,
	5_000,
	30_000,
	...Array<number>(4).fill(180_000),
	...Array<number>(72).fill(3_600_000),
];
const webhookTimeoutMs = 30_000;

/** Starts the gateway in this process. Throws if the port is in use, or the state file cannot be opened. */
export async function startCardGateway(options: CardGatewayOptions = {}): Promise<CardGateway> {
	const settings = settingsOf(options);
	const parts = createParts(settings, options);
	const app = buildSandboxApp();
	await installRoutes(app, parts, options);
	const { port = defaultPort, host = "127.0.0.1" } = options;
	const url = await listen(app, { port, host });
	settings.publicUrl = options.publicUrl ?? url;
	parts.planner.resume();
	return {
		url,
		stop: async () => {
			parts.deliveries.clear();
			parts.planner.clear();
			await app.close();
			parts.state.close();
		},
	};
}

/** The public address is known only once the gateway listens. */
function settingsOf(options: CardGatewayOptions): Settings {
	return {
		secretKey: options.secretKey ?? defaultSecretKey,
		publicUrl: "",
		settlementDays: options.settlementDays ?? 1,
		settlesTo: options.settlesTo ?? "bank",
		transferFee: options.transferFee ?? 0,
		outcomeAfterMs: options.outcomeAfterMs ?? 2_000,
		signatureAliases: options.signatureAliases ?? [],
	};
}

function createParts(settings: Settings, options: CardGatewayOptions) {
	const clock = createClock(options.now);
	const ids = createIds(options.seed ?? "lango");
	const state = openRows(options.stateFile);
	const store = createStore(state);
	const agenda = createAgenda(clock);
	const faults = createFaults(ids);
	const deliveries = createDeliveries({
		clock,
		pausesMs: options.webhookPausesMs ?? pausesMs,
		timeoutMs: webhookTimeoutMs,
		isTaken: (status) => status === 200,
	});
	const switches: Gateway["switches"] = {
		isOtpRequired: options.isOtpRequired ?? false,
		webhookUrl: options.webhookUrl,
	};
	const takeFault: Gateway["takeFault"] = (operation, ...names) =>
		faults.rules().length === 0
			? undefined
			: faults.take({ operation, ordinal: state.nextOrdinal(), faults: names });
	const { publish, answered: allAnswered } = createWebhooks({ settings, deliveries, takeFault, switches });
	const planner = createPlanner({ store, agenda, clock }, (task) => runTask(gateway, task));
	const { now, plan } = planner;
	const gateway: Gateway = { settings, store, ids, now, plan, publish, takeFault, switches };
	/** The fault `callback_before_ack`: what follows from a call has happened before the call is answered. */
	const answered = async () => {
		planner.hurry(["conclude_transfer", "advance_refund"]);
		await allAnswered();
	};
	const reset = () => {
		planner.clear();
		deliveries.clear();
		faults.set([]);
		store.clear(clock.now());
	};
	return { gateway, clock, state, planner, faults, deliveries, answered, reset };
}

const routes = [
	...transactionRoutes,
	...refundRoutes,
	...disputeRoutes,
	...recipientRoutes,
	...transferRoutes,
	...settlementRoutes,
	...planRoutes,
	...pageRoutes,
];

async function installRoutes(
	app: FastifyInstance,
	{ gateway, clock, faults, deliveries, answered, reset }: ReturnType<typeof createParts>,
	{ pathPrefix = "", isControlOpen = false }: CardGatewayOptions,
): Promise<void> {
	await installDocs(app, {
		title: "Card gateway (sandbox)",
		description: "Imitates a card and bank gateway. Calls need `Authorization: Bearer <secret key>`.",
	});
	app.addContentTypeParser(
		"application/x-www-form-urlencoded",
		{ parseAs: "string" },
		(_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
	);
	guardControl(app, { prefix: "/_control", isOpen: isControlOpen });
	installPage(app, join(import.meta.dirname, "overview/page"));
	installClock(app, "/_control/clock", clock);
	installControl(app, { gateway, deliveries, faults, reset });
	installOverview(app, { gateway, deliveries });
	installCheckout(app, { gateway, answered });
	installPaymentPages(app, gateway);
	installApi(app, { gateway, routes, answered, prefixes: [...new Set(["", pathPrefix])] });
}
