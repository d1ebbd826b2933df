import { authUserUpdated, type EventType, type PublicTenant } from "@lango/contracts";
import { acrossTenants } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { expect } from "vitest";
import type { Office } from "./office.ts";

type Member = { id: string; tenant: PublicTenant; roles?: string[]; status?: string };

/** A person, as events of the sign-on service describe one. */
export const describePerson = ({ id, roles = ["member"], status = "active" }: Member) => ({
	...{ user_id: id, email: `p-${id}@people.example`, name: "Asha", roles, status },
});

type Happened = { subject: string; tenant: PublicTenant; data: unknown; at?: Date };

type Sent = {
	slug: string;
	template: string;
	channel: string;
	about: string | null;
	user_id: string;
	exempt: boolean;
};

/** Publishes events to the notification service, and reads the messages that they trigger. */
export function publisherOf(office: Office) {
	/** Waits until every event is applied. */
	const applied = () =>
		expect.poll(async () => office.database.db.query("select 1 from deliveries limit 1")).toEqual([]);

	/** Publishes an event twice, and applies it with the messages that it triggers. */
	const happen = async (type: EventType, happened: Happened): Promise<void> => {
		const event = testEvent(type, happened);
		await office.transport.publish(event);
		await office.transport.publish(event);
		await applied();
		await office.jobs.runDue();
	};

	return {
		...{ applied, happen },
		/** Publishes a state of a person, and applies it with the messages that it triggers. */
		change: (member: Member, version: number): Promise<void> => {
			const { id: subject, tenant } = member;
			const state = { email_verified: true, is_hq: false, outlet_ids: [], version };
			return happen(authUserUpdated, { subject, tenant, data: { ...describePerson(member), ...state } });
		},
		messagesFor: (userIds: readonly string[]) =>
			acrossTenants(office.database.db, (tx) =>
				tx.query<Sent>(
					`select t.slug, m.template, m.channel, m.about_tenant_id as about, d.user_id, m.is_exempt as exempt
					   from message_deliveries d join messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
					   join tenants t on t.id = m.tenant_id
					  where d.user_id = any ($1) order by m.template, m.channel, d.user_id`,
					[[...userIds]],
				),
			),
	};
}
