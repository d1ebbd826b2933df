import { type Domain, isDevelopment } from "@lango/chassis";
import { inTenant, listen, readCluster } from "@lango/postgres";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { createVault, type Vault } from "./addresses/sealed-address.ts";
import { seedCatalogue } from "./catalogue/seed-catalogue.ts";
import type { Settings } from "./config.ts";
import { startDispatcher } from "./dispatch/dispatcher.ts";
import { type Sending, sendDelivery } from "./dispatch/send-delivery.ts";
import type { Settled } from "./dispatch/settle.store.ts";
import { settle } from "./dispatch/settle.ts";
import { createSettling } from "./dispatch/settle-batches.ts";
import { addItem, type InboxItem } from "./inbox/inbox.store.ts";
import { toItemWire } from "./inbox/inbox-wire.ts";
import { readNews } from "./inbox/read-news.ts";
import { observeKeys } from "./keys/observe-keys.ts";
import { createLetterheads } from "./letterheads/letterhead.ts";
import { createMailLinks } from "./links/mail-links.ts";
import { observeDeliveries } from "./measurements/observe-deliveries.ts";
import { type Class, classes } from "./message.ts";
import { whatsappOf } from "./messages/whatsapp-subscription.ts";
import type { Parts } from "./parts.ts";
import { createCallCounts } from "./providers/call-counts.ts";
import { addCallCounts } from "./providers/health.store.ts";
import { createProviderCalls } from "./providers/provider-calls.ts";
import { createWebhookAccounts } from "./providers/webhook-accounts.ts";
import { createRolePeople } from "./recipients/role-people.ts";
import { applyReports } from "./reports/apply-reports.ts";
import { createReportApplier } from "./reports/report-applier.ts";
import { createInboxStreams } from "./streams/inbox-streams.ts";
import { createPublishedTemplates } from "./templates/published-templates.ts";
import { platformTriggers } from "./triggers/platform-triggers.ts";
import { seedPlatformTriggers } from "./triggers/trigger.store.ts";
import { signUnsubscribeToken } from "./unsubscribe/unsubscribe-link.ts";

/** Longer than a call to a provider may take, which is 20 seconds. */
const leaseSeconds = 30;

/** Creates the dependencies, and starts the dispatcher unless `NOTIFICATIONS_DISPATCH` is off. */
export async function prepare(domain: Domain<Settings>): Promise<Parts> {
	const { db, now, settings, log } = domain;
	const vault = createVault(readKeyEncryptionKeys(settings.keyEncryptionKeys.reveal()));
	const templates = createPublishedTemplates({ db, now });
	const letterheads = createLetterheads({
		...{ db, now },
		onInvalid: ({ tenantId: tenant_id, key }) =>
			log.warn({ tenant_id, key }, "a setting has a value that is not valid; it is ignored"),
	});
	await seedCatalogue(db, now());
	await seedPlatformTriggers(db, platformTriggers, now());
	const counts = createCallCounts({
		now,
		write: (counted) => addCallCounts(db, counted),
		onError: (err) => log.warn({ err }, "counts of calls to providers could not be written; they are kept"),
	});
	const calls = createProviderCalls({
		...{ db, now, vault, counts, publicUrl: settings.publicUrl },
		onError: (err) =>
			log.warn({ err }, "the pace of a provider could not be taken; its deliveries are given back"),
	});
	domain.onStop(async () => {
		calls.stop();
		await counts.stop();
	});
	const webhooks = createWebhookAccounts({ db, now, vault });
	const reports = createReportApplier({
		apply: (signal) => applyReports({ db, now, vault }, signal),
		onError: (err) => log.error({ err }, "reports of providers could not be applied; they are tried again"),
	});
	domain.onStop(() => reports.stop());
	const inboxStreams = createInboxStreams({
		now,
		lifeMs: settings.streamSeconds * 1_000,
		openMax: settings.inboxStreamsMax,
		toWire: (item: InboxItem) => toItemWire(item),
		read: (tenantId, people) => readNews(db, tenantId, people),
		onError: (err) => log.warn({ err }, "news of inboxes could not be read for their streams"),
	});
	domain.onStop(async () => inboxStreams.stop());
	const signOn = askingSignOn(domain, vault);
	const parts = { ...signOn, vault, templates, letterheads, calls, webhooks, reports, inboxStreams };
	const countSettled = observeDeliveries(domain);
	observeKeys(domain, vault);
	// The nodes of a cluster notify of no lane that becomes due.
	const pollMs = (await readCluster(db)).isCluster ? 250 : 2_000;
	const dispatcher =
		settings.dispatch === "on" ? dispatch(domain, { ...parts, countSettled, pollMs }) : undefined;
	subscribe(domain, {
		published: templates.published,
		providersChanged() {
			calls.changed();
			webhooks.changed();
		},
		inboxChanged: (tenantId, userId) => inboxStreams.changed(tenantId, userId),
		due: (messageClass) => dispatcher?.wake(messageClass),
		setListening(isListening) {
			templates.setListening(isListening);
			calls.setListening(isListening);
			webhooks.setListening(isListening);
			if (isListening) inboxStreams.missed();
		},
	});
	if (dispatcher !== undefined) domain.onStop(() => dispatcher.stop());
	return parts;
}

/** The clients of the sign-on service, each with a key for its purpose. */
function askingSignOn(
	domain: Domain<Settings>,
	vault: Vault,
): Pick<Parts, "links" | "rolePeople" | "allowHttp"> {
	const { db, now, settings } = domain;
	const { linksReadKey, recipientsReadKey } = settings;
	const { nodeEnv, authUrl: publicUrl, authInternalUrl: authUrl = publicUrl } = ofEveryService(domain);
	const allowHttp = isDevelopment(nodeEnv);
	return {
		allowHttp,
		links: createMailLinks({ authUrl, apiKey: linksReadKey.reveal(), allowHttp }),
		rolePeople: createRolePeople({ authUrl, apiKey: recipientsReadKey.reveal(), db, vault, now }),
	};
}

function dispatch(
	{ db, now, log, settings, entitlements }: Domain<Settings>,
	parts: Parts & { countSettled: (settled: readonly Settled[]) => void; pollMs: number },
) {
	const { urgentSlots: urgent, normalSlots: normal, bulkSlots: bulk, fromAddress } = settings;
	const unsubscribeUrl: Sending["unsubscribeUrl"] = (of) =>
		`${settings.publicUrl}/public/unsubscribe?t=${signUnsubscribeToken(parts.vault, of)}`;
	const keepItem: Sending["keepItem"] = (tenantId, item) =>
		inTenant(db, tenantId, (tx) => addItem(tx, { ...item, tenantId, now: now() }));
	const hasWhatsapp: Sending["hasWhatsapp"] = async (tenantId) =>
		whatsappOf(await entitlements.entitlementOf({ tenantId, claims: undefined })) === "subscribed";
	const sending = {
		...parts,
		hasWhatsapp,
		db,
		now,
		fromAddress,
		unsubscribeUrl,
		keepItem,
		random: Math.random,
		onUnrendered: (err: unknown, delivery_id: string) =>
			log.error({ err, delivery_id }, "a message could not be rendered, will retry"),
	};
	return startDispatcher({
		...{
			db,
			now,
			log,
			leaseSeconds,
			vault: parts.vault,
			pollMs: parts.pollMs,
			sizes: { urgent, normal, bulk },
		},
		send: (lane, claimed) => sendDelivery(sending, lane, claimed),
		roomFor: parts.calls.roomFor,
		giveBack: parts.calls.giveBack,
		settling: createSettling({
			settle: async (batch) => parts.countSettled(await settle({ db, now, vault: parts.vault }, batch)),
			onError: (err, about) => log.error({ err, ...about }, "results of deliveries could not be recorded"),
		}),
	});
}

type Changes = {
	published(tenantId: string | undefined): void;
	providersChanged(): void;
	inboxChanged(tenantId: string, userId: string): void;
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
			const [what, about = "", person = ""] = message.split(" ");
			if (what === "inbox") changes.inboxChanged(about, person);
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
	settings as unknown as {
		databaseUrl: string;
		directDatabaseUrl: string | undefined;
		nodeEnv: string;
		authUrl: string;
		authInternalUrl: string | undefined;
	};
