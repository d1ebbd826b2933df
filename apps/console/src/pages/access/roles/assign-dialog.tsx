import { SearchField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../../dialogs/form-dialog.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { usePlatform } from "../../../platform.ts";
import { endOfDay } from "../../../tenant/day-in-zone.ts";
import { outletsQuery } from "../../../tenant/tenant.queries.ts";
import { useZone } from "../../../tenant/use-tenant.ts";
import {
	accessKey,
	peopleQuery,
	type ServicePerson,
	type ServiceScope,
	serviceAddress,
} from "../access.queries.ts";
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
		if (person === undefined) return { message: words.missingPerson };
		const isOver = day !== "" && (end === undefined || end.getTime() <= Date.now());
		return isOver ? { message: words.missingEnd, field: "expires_at" } : undefined;
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
					<PersonChoice scope={scope} chosen={person} onChoose={setPerson} />
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
};

/** Selects a user of the service, searched by name or e-mail address. */
function PersonChoice({ scope, chosen, onChoose }: PersonChoice) {
	const words = useAccessTexts();
	const [q, setSearch] = useState("");
	const people = useQuery(peopleQuery(usePlatform(), scope, q));
	return (
		<fieldset className="min-w-0">
			<legend className="mb-1.5 font-semibold">{words.person}</legend>
			<p className="mb-2 text-quiet">{words.assignKnown}</p>
			<SearchField label={words.assignSearch} onSearch={setSearch} />
			<div className="mt-2 grid max-h-60 overflow-y-auto rounded-lg border border-edge bg-field py-1">
				<Loaded query={people}>
					{(found) => (
						<>
							{found.length === 0 && <p className="px-3.5 py-2.5 text-quiet">{words.assignNone}</p>}
							{found.map((person) => (
								<label
									key={person.user_id}
									className="flex min-h-11 cursor-pointer items-start gap-3 px-3.5 py-2 hover:bg-wall has-focus-visible:outline-3 has-focus-visible:-outline-offset-2 has-focus-visible:outline-ring"
								>
									<input
										type="radio"
										name="user_id"
										checked={chosen?.user_id === person.user_id}
										onChange={() => onChoose(person)}
										className="mt-1 size-4 shrink-0 accent-link outline-none"
									/>
									<span className="min-w-0">
										<span className="block wrap-anywhere">{person.name}</span>
										<span className="block text-quiet wrap-anywhere">{person.email}</span>
									</span>
								</label>
							))}
						</>
					)}
				</Loaded>
			</div>
		</fieldset>
	);
}
