import { SearchField, TextField } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../../dialogs/form-dialog.tsx";
import { Loaded } from "../../../notices/loaded.tsx";
import { usePlatform } from "../../../platform.ts";
import { endOfDay } from "../../../tenant/day-in-zone.ts";
import { outletsQuery } from "../../../tenant/tenant.queries.ts";
import { useZone } from "../../../tenant/use-tenant.ts";
import { peopleQuery, type ServicePerson, type ServiceScope, serviceAddress } from "../access.queries.ts";
import { useAccessTexts } from "../texts.ts";
import { OutletField } from "./outlet-field.tsx";

type AssignDialog = {
	place: ServiceScope;
	role: { code: string; name: string };
	/** Told who has it now. */
	onDone: (name: string) => unknown;
	onClose: () => void;
};

/** Gives a role to somebody the service knows: in the whole tenant or at one outlet, for good or until the end of a day. */
export function AssignDialog({ place, role, onDone, onClose }: AssignDialog) {
	const platform = usePlatform();
	const words = useAccessTexts();
	const timeZone = useZone();
	const outlets = useQuery(outletsQuery(platform, place.slug)).data ?? [];
	const [person, setPerson] = useState<ServicePerson>();
	const [outletId, setOutletId] = useState("");
	const [day, setDay] = useState("");
	const end = day === "" ? undefined : endOfDay(day, timeZone);
	const check = () => {
		if (person === undefined) return { message: words.lackingPerson };
		const isOver = day !== "" && (end === undefined || end.getTime() <= Date.now());
		return isOver ? { message: words.lackingEnd, field: "expires_at" } : undefined;
	};
	const body = {
		user_id: person?.user_id,
		outlet_id: outletId === "" ? null : outletId,
		expires_at: end?.toISOString() ?? null,
	};
	const address = `${serviceAddress(platform, place)}/roles/${encodeURIComponent(role.code)}/assignments`;
	return (
		<FormDialog
			title={words.assignTitle(role.name)}
			confirm={words.assign}
			busyText={words.assigning}
			messages={words.refusals}
			check={check}
			action={() => platform.client.call(address, { method: "POST", body, outlet: place.outlet })}
			onDone={() => onDone(person?.name ?? "")}
			onClose={onClose}
		>
			{(faultyField) => (
				<>
					<PersonChoice place={place} chosen={person} onChoose={setPerson} />
					<OutletField
						outlets={outlets}
						chosen={outletId}
						onChoose={setOutletId}
						isFaulty={faultyField === "outlet_id"}
					/>
					<TextField
						name="expires_at"
						type="date"
						isOptional
						label={words.lastDay}
						hint={words.lastDayHint}
						value={day}
						onChange={(event) => setDay(event.target.value)}
						isFaulty={faultyField === "expires_at"}
					/>
				</>
			)}
		</FormDialog>
	);
}

type PersonChoice = {
	place: ServiceScope;
	chosen: ServicePerson | undefined;
	onChoose: (person: ServicePerson) => void;
};

/** One of the people a service knows, searched by name or address. */
function PersonChoice({ place, chosen, onChoose }: PersonChoice) {
	const words = useAccessTexts();
	const [q, setSearch] = useState("");
	const people = useQuery(peopleQuery(usePlatform(), place, q));
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
