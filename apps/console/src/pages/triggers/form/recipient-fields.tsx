import { globalRoles } from "@lango/contracts/role-names";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CheckList } from "../../../fields/check-list.tsx";
import { ErrorNotice } from "../../../notices/error-notice.tsx";
import { usePlatform } from "../../../platform.ts";
import { useRoleTexts } from "../../../roles/texts.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { wordFor } from "../../../texts/texts.ts";
import { peopleQuery } from "../../access/access.queries.ts";
import { useTriggerTexts } from "../state/texts.ts";
import type { Part } from "./part.ts";
import type { Person } from "./trigger-draft.ts";

const ofEvent = ["event.customer", "event.user", "event.email"] as const;
/** Superusers are people of the platform. */
const offeredRoles = globalRoles.filter((role) => role !== "superuser");

/** The recipients of a rule: from the event, by role, and chosen people. */
export function RecipientFields({ draft, change, at, scope }: Part & { scope: ServiceScope }) {
	const { form: words, recipientNames } = useTriggerTexts();
	const { roles: roleWords } = useRoleTexts();
	const roles = [...new Set<string>([...offeredRoles, ...draft.roles])];
	return (
		<>
			<p className="text-quiet">{words.recipientsLead}</p>
			<CheckList
				{...at("recipients")}
				legend={words.ofEvent}
				choices={ofEvent.map((value) => ({ value, label: recipientNames[value] ?? value }))}
				chosen={draft.recipients}
				onChange={(recipients) => change({ recipients })}
			/>
			<CheckList
				{...at("roles")}
				legend={words.roles}
				choices={roles.map((value) => ({ value, label: wordFor(roleWords, value) }))}
				chosen={draft.roles}
				onChange={(chosen) => change({ roles: chosen })}
			/>
			<PeopleField scope={scope} people={draft.people} onChange={(people) => change({ people })} />
		</>
	);
}

type PeopleField = {
	scope: ServiceScope;
	people: readonly Person[];
	onChange: (people: readonly Person[]) => void;
};

/** Chosen people, searched by name or e-mail address. Those who are chosen stay in the list. */
function PeopleField({ scope, people, onChange }: PeopleField) {
	const { form: words } = useTriggerTexts();
	const [q, setSearch] = useState("");
	const query = useQuery(peopleQuery(usePlatform(), scope, q));
	const found = query.data ?? [];
	const others = found.filter(({ user_id }) => people.every((one) => one.user_id !== user_id));
	const choices = [
		...people.map(({ user_id, name }) => ({ value: user_id, label: name })),
		...others.map(({ user_id, name, email }) => ({ value: user_id, label: name, detail: email })),
	];
	const choose = (ids: readonly string[]) =>
		onChange([...people, ...others].filter(({ user_id }) => ids.includes(user_id)));
	return (
		<>
			<CheckList
				name="people"
				legend={words.people}
				hint={words.peopleHint}
				choices={choices}
				chosen={people.map(({ user_id }) => user_id)}
				onChange={choose}
				onSearch={setSearch}
			/>
			<ErrorNotice error={query.error} onRetry={query.refetch} />
		</>
	);
}
