import { type Domain, isDevelopment } from "@lango/chassis";
import { listen } from "@lango/postgres";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { createVault } from "./addresses/sealed-address.ts";
import { seedCatalogue } from "./catalogue/seed-catalogue.ts";
import type { Settings } from "./config.ts";
import { startDispatcher } from "./dispatch/dispatcher.ts";
import { sendDelivery } from "./dispatch/send-delivery.ts";
import { settle } from "./dispatch/settle.ts";
import { createSettling } from "./dispatch/settle-batches.ts";
import { createLetterheads } from "./letterheads/letterhead.ts";
import { type Class, classes } from "./message.ts";
import type { Parts } from "./parts.ts";
import { createProviderCalls } from "./providers/provider-calls.ts";
import { createPublishedTemplates } from "./templates/published-templates.ts";

/** Longer than a call to a provider may take, which is 20 seconds. */
const leaseSeconds = 30;

/** Creates the dependencies, and starts the dispatcher unless `NOTIFICATIONS_DISPATCH` is off. */
export async function prepare(domain: Domain<Settings>): Promise<Parts> {
	const { db, now, settings } = domain;
	const vault = createVault(readKeyEncryptionKeys(settings.keyEncryptionKeys.reveal()));
	const templates = createPublishedTemplates({ db, now });
	const letterheads = createLetterheads({ db, now });
	await seedCatalogue(db, now());
	const calls = createProviderCalls({ db, now, vault });
	domain.onStop(async () => calls.stop());
	const parts = {
		vault,
		templates,
		letterheads,
		calls,
		allowHttp: isDevelopment(ofEveryService(domain).nodeEnv),
	};
	const dispatcher = settings.dispatch === "on" ? dispatch(domain, parts) : undefined;
	subscribe(domain, {
		published: templates.published,
		providersChanged: calls.changed,
		due: (messageClass) => dispatcher?.wake(messageClass),
		setListening(isListening) {
			templates.setListening(isListening);
			calls.setListening(isListening);
		},
	});
	if (dispatcher !== undefined) domain.onStop(() => dispatcher.stop());
	return parts;
}

function dispatch({ db, now, log, settings }: Domain<Settings>, parts: Parts) {
	const { urgentSlots: urgent, normalSlots: normal, bulkSlots: bulk, fromAddress } = settings;
	const sending = { ...parts, db, now, fromAddress, random: Math.random };
	return startDispatcher({
		...{ db, now, log, leaseSeconds, sizes: { urgent, normal, bulk } },
		send: (lane, claimed) => sendDelivery(sending, lane, claimed),
		settling: createSettling({
			settle: (batch) => settle({ db, now }, batch),
			onError: (err, about) => log.error({ err, ...about }, "results of deliveries could not be recorded"),
		}),
	});
}

type Changes = {
	published(tenantId: string | undefined): void;
	providersChanged(): void;
	due(messageClass: Class): void;
	setListening(isListening: boolean): void;
};

/** Subscribes this process to changes of templates and providers, and to lanes that become due. */
function subscribe(domain: Domain<Settings>, changes: Changes): void {
	const { log, onStop } = domain;
	const { databaseUrl, directDatabaseUrl = databaseUrl } = ofEveryService(domain);
	changes.setListening(false);
	const listening = listen({
		url: directDatabaseUrl,
		name: "notifications",
		channel: "notifications_changed",
		onMessage: (message) => {
			const [what, about = ""] = message.split(" ");
			if (what === "due") changes.due(about as Class);
			if (what === "template") changes.published(about === "" ? undefined : about);
			if (what === "providers") changes.providersChanged();
		},
		onReady: () => {
			changes.setListening(true);
			for (const messageClass of classes) changes.due(messageClass);
		},
		onLost: (err) => {
			log.warn({ err }, "not subscribed to changes of templates and providers: they are not cached");
			changes.setListening(false);
		},
	});
	onStop(() => listening.stop());
}

/** The settings of every service that the type of a domain does not name. */
const ofEveryService = ({ settings }: Domain<Settings>) =>
	settings as unknown as { databaseUrl: string; directDatabaseUrl: string | undefined; nodeEnv: string };
