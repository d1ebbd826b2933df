import type { Domain } from "@lango/chassis";
import type { Vault } from "./addresses/sealed-address.ts";
import type { Settings } from "./config.ts";
import type { Letterheads } from "./letterheads/letterhead.ts";
import type { MailLinks } from "./mail-link.ts";
import type { ProviderCalls } from "./providers/provider-calls.ts";
import type { WebhookAccounts } from "./providers/webhook-accounts.ts";
import type { InboxStreams } from "./streams/inbox-streams.ts";
import type { PublishedTemplates } from "./templates/published-templates.ts";

/** The dependencies of the routes and jobs of this service. */
export type Parts = {
	vault: Vault;
	templates: PublishedTemplates;
	letterheads: Letterheads;
	calls: ProviderCalls;
	links: MailLinks;
	/** Makes people of a role known (`recipients/role-people.ts`). */
	rolePeople: { learn(tenantId: string, role: string): Promise<void> };
	webhooks: WebhookAccounts;
	inboxStreams: InboxStreams;
	/** Applies stored reports soon. */
	reports: { wake(): void };
	/** Whether links may be http: outside of production. */
	allowHttp: boolean;
};
export type Notifications = Domain<Settings> & Parts;
