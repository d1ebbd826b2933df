import type { Page } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

/** What Lango holds for a tenant, in the order of the page. */
export const ownAccounts = ["available", "pending", "reserved", "refunding", "disputed"] as const;
/** What a tenant owes Lango. */
export const owedAccounts = ["fees_due", "debt"] as const;

/** The balances of a tenant, by custody. */
export type Balances = {
	currency: string;
	platform_custody: Readonly<Record<string, number>>;
	tenant_custody: ReadonlyArray<{
		shortcode: string;
		mirror_minor: number;
		suspense_minor: number;
		/** What the gateway said last; null if it has not been asked. */
		confirmed_minor: number | null;
		confirmed_at: string | null;
	}>;
};

export type StatementLine = {
	journal_id: string;
	line: number;
	effective_at: string;
	purpose: string;
	/** The number that the gateway gave the movement. */
	receipt: string | null;
	account: string;
	kind: "amount" | "fee";
	amount_minor: number;
	balance_minor: number;
};

/** A page of a statement, and what the whole statement begins with. */
export type Statement = Page<StatementLine> & { currency: string; from: string; opening_minor: number };

export const statementAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/statement`;

/** The balances of the tenant. */
export const balancesQuery = (platform: Platform, scope: ServiceScope) =>
	queryOptions({
		queryKey: ["treasury", scope.slug, "balances"],
		queryFn: ({ signal }) =>
			platform.client.call<Balances>(`${serviceAddress(platform, scope)}/balances`, {
				...{ outlet: "none", signal },
			}),
	});
