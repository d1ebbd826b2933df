import { TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../../dialogs/form-dialog.tsx";
import { FoundChoice } from "../../../fields/found-choice.tsx";
import { errorsOf } from "../../../forms/rules.ts";
import type { Field } from "../../../forms/submit-form.tsx";
import { usePlatform } from "../../../platform.ts";
import { accessKey, type ServiceScope, serviceAddress } from "../../../services/service-access.queries.ts";
import { endOfDay } from "../../../tenant/day-in-zone.ts";
import { outletsQuery } from "../../../tenant/tenant.queries.ts";
import { useZone } from "../../../tenant/use-tenant.ts";
import { peopleQuery, type ServicePerson } from "../access.queries.ts";
import { useAccessTexts } from "../texts.ts";
import { OutletField } from "./outlet-field.tsx";

type AssignDialog = {
	scope: ServiceScope;
	role: { code: string; name: string };
	onClose: () => void;
};

/**
 * Assigns a role to a user of the service: in the whole tenant or at one outlet, permanently or until the
 * end of a day.
 */
export function AssignDialog({ scope, role, onClose }: AssignDialog) {
	const platform = usePlatform();
	const words = useAccessTexts();
	const timeZone = useZone();
	const outlets = useQuery(outletsQuery(platform, scope.slug)).data ?? [];
	const [person, setPerson] = useState<ServicePerson>();
	const [outletId, setOutletId] = useState("");
	const [day, setDay] = useState("");
	const end = day === "" ? undefined : endOfDay(day, timeZone);
	const check = () => {
		const isOver = day !== "" && (end === undefined || end.getTime() <= Date.now());
		return errorsOf([
			[person === undefined, "user_id", words.missingPerson],
			[isOver, "expires_at", words.missingEnd],
		]);
	};
	const body = {
		user_id: person?.user_id,
		outlet_id: outletId === "" ? null : outletId,
		expires_at: end?.toISOString() ?? null,
	};
	const address = `${serviceAddress(platform, scope)}/roles/${encodeURIComponent(role.code)}/assignments`;
	return (
		<FormDialog
			title={words.assignTitle(role.name)}
			confirm={words.assign}
			busyText={words.assigning}
			messages={words.errors}
			check={check}
			action={() => platform.client.call(address, { method: "POST", body, outlet: scope.outlet })}
			invalidates={accessKey(scope)}
			done={words.assignDone(person?.name ?? "", role.name)}
			onClose={onClose}
		>
			{(field) => (
				<>
					<PersonChoice
						scope={scope}
						chosen={person}
						onChoose={setPerson}
						keptAs={`person of ${role.code}`}
						{...field("user_id")}
					/>
					<OutletField outlets={outlets} chosen={outletId} onChoose={setOutletId} {...field("outlet_id")} />
					<TextField
						{...field("expires_at")}
						type="date"
						isOptional
						label={words.lastDay}
						hint={words.lastDayHint}
						value={day}
						onChange={(event) => setDay(event.target.value)}
					/>
				</>
			)}
		</FormDialog>
	);
}

type PersonChoice = {
	scope: ServiceScope;
	chosen: ServicePerson | undefined;
	onChoose: (person: ServicePerson) => void;
	keptAs: string;
} & ReturnType<Field>;

/** Selects a user of the service, searched by name or e-mail address. */
function PersonChoice({ scope, ...choice }: PersonChoice) {
	const platform = usePlatform();
	const words = useAccessTexts();
	return (
		<FoundChoice<ServicePerson>
			{...choice}
			legend={words.person}
			hint={words.assignKnown}
			search={words.assignSearch}
			queryFor={(q) => peopleQuery(platform, scope, q)}
			choiceOf={({ user_id, name, email }) => ({ value: user_id, label: name, detail: email })}
			empty={words.assignNone}
		/>
	);
}
