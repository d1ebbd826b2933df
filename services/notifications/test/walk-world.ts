import { randomUUID } from "node:crypto";
import { Failure } from "@lango/chassis";
import type { PublicTenant } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import { hashSecret, readKeyEncryptionKeys } from "@lango/tokens";
import fc from "fast-check";
import { createVault } from "../src/addresses/sealed-address.ts";
import type { Channel } from "../src/channel.ts";
import { changeCredit } from "../src/credits/change-credit.ts";
import { resendDelivery } from "../src/deliveries/resend-delivery.ts";
import { type Claimed, claimLane, type Lane } from "../src/dispatch/claim.store.ts";
import { recoverDeliveries } from "../src/dispatch/recover.ts";
import { type Sending, sendDelivery } from "../src/dispatch/send-delivery.ts";
import type { Result } from "../src/dispatch/settle.store.ts";
import { settle } from "../src/dispatch/settle.ts";
import type { Class } from "../src/message.ts";
import { type Accepting, acceptMessage } from "../src/messages/accept-message.ts";
import { cancelMessage } from "../src/messages/cancel-message.ts";
import { type Outcome, type ReportKind, reportKinds } from "../src/provider.ts";
import type { ProviderCalls } from "../src/providers/provider-calls.ts";
import { applyReports } from "../src/reports/apply-reports.ts";
import { storeReports } from "../src/reports/report.store.ts";
import { criticalCategories } from "../src/template.ts";
import { acceptingIn } from "./accepting.ts";
import { encryptionKeys, greeting, type Office } from "./office.ts";
import { addPlatformProvider } from "./platform-provider.ts";
import { buyCredit, type TopUp } from "./walk-top-up.ts";

// The world of a random walk: a tenant's messages on a real database, providers that do what the walk says
// and know what they did, and a clock that only moves forward.

const channels = ["email", "sms", "whatsapp", "push"] as const;
type WalkChannel = (typeof channels)[number];
const kinds = { email: "smtp", sms: "twilio", whatsapp: "whatsapp_cloud", push: "fcm" } as const;

/** What a provider does with a call. Lost: it never saw it, or its answer did not come. */
const behaviours = {
	accepts: { is: "accepted" },
	"accepts, unanswered": { is: "unknown", code: "timeout" },
	lost: { is: "unknown", code: "reset" },
	"is unreachable": { is: "refused", mayRetry: true, code: "econnrefused", isUnreachable: true },
	"is busy": { is: "refused", mayRetry: true, code: "busy", afterSeconds: 90, isUnreachable: true },
	"refuses for now": { is: "refused", mayRetry: true, code: "later" },
	refuses: { is: "refused", mayRetry: false, code: "no" },
	"refuses the address": { is: "refused", mayRetry: false, code: "no_address", isAddressBad: true },
} as const satisfies Record<string, Outcome>;
type Behaviour = keyof typeof behaviours;
const behaviourNames = Object.keys(behaviours) as Behaviour[];

/**
 * How the process of a delivery ends: one that stalls before or after the call continues later, when another
 * process may have its lease.
 */
type End =
	| "settles"
	| "dies before the call"
	| "dies after called_at"
	| "dies after the call"
	| "stalls"
	| "settles late";

export type Step =
	| { do: "accept"; channel: WalkChannel; people: number[]; isUrgent: boolean; isRepeated: boolean }
	| { do: "send"; lane: number; limit: number; behaviour: Behaviour; end: End }
	| { do: "resume"; behaviour: Behaviour }
	| { do: "report"; which: number; kind: ReportKind; times: number; hasIds: boolean }
	| { do: "cancel" | "resend"; which: number }
	| { do: "credit"; segments: number }
	/** Buys, if no purchase is open; `pays` says which purchase is paid then. */
	| { do: "top up"; segments: number; pays: number | undefined }
	| { do: "pass"; minutes: number };

const behaviour = fc.constantFrom(...behaviourNames, "accepts" as const, "accepts" as const);
const which = fc.nat(1_000);
/** Any step; frequent ones are more likely. */
export const steps: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			do: fc.constant("accept"),
			channel: fc.constantFrom("sms", "email", ...channels),
			people: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 5 }),
			isUrgent: fc.boolean(),
			isRepeated: fc.boolean(),
		}),
	},
	{
		weight: 8,
		arbitrary: fc.record({
			...{ do: fc.constant("send"), lane: which, limit: fc.integer({ min: 1, max: 5 }), behaviour },
			end: fc.constantFrom<End>(
				"settles",
				"settles",
				"dies before the call",
				"dies after called_at",
				"dies after the call",
				"stalls",
				"settles late",
			),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("resume"), behaviour }) },
	{
		weight: 4,
		arbitrary: fc.record({
			...{ do: fc.constant("report"), which, kind: fc.constantFrom(...reportKinds) },
			...{ times: fc.integer({ min: 1, max: 2 }), hasIds: fc.boolean() },
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("cancel"), which }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("resend"), which }) },
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant("credit"), segments: fc.integer({ min: -4, max: 9 }) }),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			...{ do: fc.constant("top up"), segments: fc.integer({ min: 1, max: 9 }) },
			pays: fc.option(which, { nil: undefined }),
		}),
	},
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("pass"), minutes: fc.constantFrom(1, 2, 20, 90) }) },
) as fc.Arbitrary<Step>;

type Call = { deliveryId: string; channel: Channel; behaviour: Behaviour; ref: string };
/** `result`: of its call, if that was made. */
type Stalled = { lane: Lane; claimed: Claimed; result?: Result };

/** A provider of the platform for each channel. */
export type WalkProviders = Readonly<Record<WalkChannel, string>>;

/** Creates the providers, which the walks of an office share. */
export async function createProviders(office: Office): Promise<WalkProviders> {
	const vault = createVault(readKeyEncryptionKeys(encryptionKeys));
	const made = channels.map(async (channel) => {
		const provider = { channel, kind: kinds[channel], name: `walk ${channel}` };
		const secrets = vault.sealCredentials({ credentials: {} });
		const limits = { restingWeight: 50, perSecond: 100, inFlightMax: 10 };
		return [channel, await addPlatformProvider(office, { ...provider, ...limits, secrets })];
	});
	return Object.fromEntries(await Promise.all(made)) as WalkProviders;
}

/** A tenant of the walk. `calls` has every call in its order. */
export type World = {
	tenant: PublicTenant;
	calls: Call[];
	db: Database;
	now: () => Date;
	/** Moves the clock. */
	advance(minutes: number): void;
	accepting: Accepting;
	providers: WalkProviders;
	stalled: Stalled[];
	/** What was accepted: the recipients of each message. */
	messages: Map<string, number>;
	/** References of calls that were accepted and recorded as sent. */
	settled: Set<string>;
	/** Segments that were granted, less those taken away; purchases. */
	granted: number;
	topUps: TopUp[];
};

const requester = { kind: "user", id: randomUUID() } as const;

const firstGrant = 20;

/** Creates the world of one walk: a tenant with some credit. */
export async function createWorld(office: Office, providers: WalkProviders): Promise<World> {
	const tenant = office.tenant({});
	await office.call({
		...{ method: "POST", url: `/api/v1/${tenant.slug}/notifications/credits/grants` },
		...{ token: office.token(office.lango, "superuser"), body: { segments: firstGrant, reason: "test" } },
	});
	let at = Date.now();
	const now = () => new Date(at);
	const plan = { limits: { max_emails_per_day: -1 }, features: ["whatsapp"] };
	return {
		...{ tenant, providers, now, calls: [], stalled: [], db: office.database.db },
		...{ messages: new Map(), settled: new Set(), granted: firstGrant, topUps: [] },
		advance: (minutes) => {
			at += minutes * 60_000;
		},
		accepting: { ...acceptingIn(office, plan), now },
	};
}

const refusals = new Set(["credit_too_low", "delivery_not_final", "data_gone"]);

/** Takes a step. An expected refusal of the service does not fail the walk. */
export async function take(world: World, step: Step): Promise<void> {
	const work = works[step.do] as (world: World, step: Step) => Promise<unknown>;
	await work(world, step).catch((error: unknown) => {
		if (!(error instanceof Failure && refusals.has(error.code))) throw error;
	});
}

/** Lets the clock run on until every message has expired, and what is due is claimed once more. */
export async function finish(world: World): Promise<void> {
	await pass(world, { minutes: 75 * 60 });
	for (const lane of await listDue(world))
		await sendFrom(world, lane, { limit: 100, behaviour: "is unreachable", end: "settles" });
	await pass(world, { minutes: 61 });
}

type Of<D extends Step["do"]> = Omit<Extract<Step, { do: D }>, "do">;
const within = <R>({ db, tenant }: World, work: Parameters<typeof inTenant<R>>[2]) =>
	inTenant(db, tenant.id, work);

async function accept({ accepting, tenant, messages }: World, step: Of<"accept">): Promise<void> {
	const { channel, people, isUrgent, isRepeated } = step;
	const code = { template: "sign_on/verify_contact", data: { code: "482913" } };
	const to = people.map((person) => addressOf(tenant.id, channel, person));
	const { messageId } = await acceptMessage(accepting, {
		...greeting(to, isUrgent && channel !== "push" ? code : {}),
		...{ channel, tenantId: tenant.id, source: "rest", requester, overLimit: "refuse" },
		...(!isRepeated && { idempotencyKey: randomUUID() }),
	});
	messages.set(messageId, people.length);
}

async function listDue(world: World): Promise<Lane[]> {
	const rows = await within(world, (tx) =>
		tx.query<{ channel: Channel; class: Class }>(
			"select channel, class from lanes where next_due_at <= $1 order by channel, class",
			[world.now()],
		),
	);
	return rows.map((row) => ({ tenantId: world.tenant.id, channel: row.channel, messageClass: row.class }));
}

/** Claims from one of the due lanes, and sends what was claimed. */
async function send(world: World, { lane, ...how }: Of<"send">): Promise<void> {
	const due = await listDue(world);
	const chosen = due[lane % due.length];
	if (chosen !== undefined) await sendFrom(world, chosen, how);
}

async function sendFrom(world: World, lane: Lane, how: Omit<Of<"send">, "lane">): Promise<void> {
	const { limit, behaviour, end } = how;
	const claiming = { limit, leaseSeconds: 30, critical: criticalCategories, now: world.now() };
	const all = await within(world, (tx) => claimLane(tx, lane, claiming));
	if (end === "stalls") world.stalled.push(...all.map((claimed) => ({ lane, claimed })));
	if (end === "stalls" || end === "dies before the call") return;
	const call = end === "dies after called_at" ? end : behaviour;
	for (const claimed of all) {
		const result = await sendOne(world, { lane, claimed }, call).catch(ifDead);
		if (end === "settles late" && result !== undefined) world.stalled.push({ lane, claimed, result });
		if (end === "settles" && result !== undefined) await settleOne(world, result);
	}
}

async function settleOne(world: World, result: Result): Promise<void> {
	const settling = { ...world, vault: world.accepting.vault };
	const settled = await settle(settling, { tenantId: world.tenant.id, results: [result] });
	if (settled.length > 0 && result.status === "sent") world.settled.add(String(result.ref));
}

/** The process ended. */
class Died extends Error {}

function ifDead(error: unknown): undefined {
	if (!(error instanceof Died)) throw error;
}

/** Sends a delivery. Throws `Died` if its process is to die before the provider sees the call. */
function sendOne(
	{ accepting, calls, providers }: World,
	{ lane, claimed }: Stalled,
	how: Behaviour | "dies after called_at",
) {
	const choose: ProviderCalls["choose"] = async ({ channel }) => ({
		account: {
			...{ id: providers[channel as WalkChannel], kind: kinds[channel as WalkChannel] },
			name: "walk",
		},
		async send(_message, { id }, onCall) {
			await onCall?.();
			const ref = randomUUID();
			const behaviour = how === "dies after called_at" ? "lost" : how;
			calls.push({ deliveryId: id, channel, behaviour, ref });
			if (behaviour !== how) throw new Died();
			const outcome = behaviours[behaviour];
			return { outcome: outcome.is === "accepted" ? { ...outcome, ref } : outcome, tookMs: 1 };
		},
	});
	const sending: Sending = {
		...{ ...accepting, calls: { choose }, random: () => 0.5, fromAddress: "no-reply@lango.example" },
		...{
			unsubscribeUrl: () => "https://lango.example/u",
			hasWhatsapp: async () => true,
			keepItem: async () => false,
		},
		links: { find: async () => ({ is: "gone" }) },
		onUnrendered: (err) => {
			throw err;
		},
	};
	return sendDelivery(sending, lane, claimed);
}

/**
 * The process of a stalled delivery continues. If its lease has ended, it must not call, or its result counts
 * only if no other process called meanwhile.
 */
async function resume(world: World, { behaviour }: Of<"resume">): Promise<void> {
	const one = world.stalled.shift();
	if (one === undefined) return;
	const sending = one.result ?? sendOne(world, one, behaviour);
	const result = await Promise.resolve(sending).catch((error: Error) => {
		if (!error.message.includes("lease")) throw error;
		return undefined;
	});
	if (result !== undefined) await settleOne(world, result);
}

async function report(world: World, { which, kind, times, hasIds }: Of<"report">): Promise<void> {
	const { accepting, calls, providers, tenant, db, now } = world;
	const accepted = calls.filter(isAccepted);
	const call = accepted[which % accepted.length];
	if (call === undefined) return;
	const about = hasIds ? { tenantId: tenant.id, deliveryId: call.deliveryId } : {};
	const body = accepting.vault.sealData({ eventKey: call.ref, kind, ref: call.ref, ...about });
	const reports = Array.from({ length: times }, (_, n) => ({
		eventKey: hashSecret(`${call.ref} ${kind} ${n}`),
		report: body,
	}));
	await storeReports(db, { providerId: providers[call.channel as WalkChannel], reports, now: now() });
	await applyReports(accepting);
}

async function cancel(world: World, { which }: Of<"cancel" | "resend">): Promise<void> {
	const id = [...world.messages.keys()][which % world.messages.size];
	const cancelled = { tenantId: world.tenant.id, outlets: null, by: requester.id };
	if (id !== undefined) await cancelMessage(world.accepting, { ...cancelled, id });
}

async function resend(world: World, { which }: Of<"cancel" | "resend">): Promise<void> {
	const all = await within(world, (tx) =>
		tx.query<{ id: string }>("select id from message_deliveries order by created_at, position, id"),
	);
	const id = all[which % all.length]?.id;
	const again = { tenantId: world.tenant.id, outlets: null, mayDuplicate: true, requester };
	if (id !== undefined)
		world.messages.set((await resendDelivery(world.accepting, { ...again, id })).messageId, 1);
}

async function grant(world: World, { segments }: Of<"credit">): Promise<void> {
	const change = { tenantId: world.tenant.id, segments, now: world.now() };
	if (segments === 0) return;
	await within(world, (tx) => changeCredit(tx, { ...change, kind: segments > 0 ? "grant" : "adjust" }));
	world.granted += segments;
}

/** Time passes, and the jobs run. Providers of texts can be asked; those of the other channels cannot. */
async function pass({ accepting, advance, calls }: World, { minutes }: Of<"pass">): Promise<void> {
	advance(minutes);
	const lookUp: ProviderCalls["lookUp"] = async ({ sought: { channel, deliveryId } }) => {
		const call = calls.find((one) => one.deliveryId === deliveryId && isAccepted(one));
		return channel === "sms" && call ? { eventKey: call.ref, kind: "sent", ref: call.ref } : undefined;
	};
	await applyReports(accepting);
	const recovering = { ...accepting, calls: { lookUp } as unknown as ProviderCalls };
	await recoverDeliveries(recovering, AbortSignal.timeout(60_000));
}

const works = { accept, send, resume, report, cancel, resend, credit: grant, "top up": buyCredit, pass };

/** Whether the provider accepted the message, and answered or not. */
export const isAccepted = ({ behaviour }: Call): boolean => behaviour.startsWith("accepts");

/** Addresses of one walk only: some suppressions hold for every tenant. */
function addressOf(tenantId: string, channel: WalkChannel, person: number): string {
	const number = Number.parseInt(tenantId.slice(0, 6), 16) % 1_000_000;
	const phone = `+2547${String(number).padStart(6, "0")}${String(person).padStart(2, "0")}`;
	const addresses = { email: `p${person}@${tenantId}.example`, sms: phone, whatsapp: phone };
	return channel === "push" ? `token-${tenantId}-${person}` : addresses[channel];
}
