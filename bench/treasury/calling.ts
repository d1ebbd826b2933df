/** What `services/treasury/test/storm/sandbox-process.ts` sends. */
export type SandboxUrls = { mobileMoney: string; cards: string };

/**
 * A run of calls of one gateway, each by the treasury and then without it: one after the other, or so many
 * begin in a second.
 */
export type CallingRun = { gateway: keyof SandboxUrls; perSecond: number | undefined; seconds: number };
/** The durations of calls in milliseconds, in their order: ours, and of the same request by fetch. */
export type Called = { ours: number[]; bare: number[] };
/** Where the sandboxes and the database are, and how many connections it may have. */
export type CallingPlace = { urls: SandboxUrls; databaseUrl: string; connections: number };
/** The first message is a place, and is answered with nothing; the others are runs. */
export type CallingMessage = CallingPlace | CallingRun;

/** The tenant that gets a shortcode of a sandbox, in a database of the treasury. */
export type ShopPlace = { databaseUrl: string; tenantId: string; mobileMoneyUrl: string };
