import { TextField } from "@lango/interface";
import { useState } from "react";
import { FormDialog } from "../../../dialogs/form-dialog.tsx";
import { usePlatform } from "../../../platform.ts";
import { asWords } from "../../../texts/texts.ts";
import { type ServiceRole, type ServiceScope, serviceAddress } from "../access.queries.ts";
import { roleCode } from "../permission-names.ts";
import { useAccessTexts } from "../texts.ts";
import { PermissionList } from "./permission-list.tsx";

type RoleDialog = {
	place: ServiceScope;
	/** The one to change; a new one is made without. */
	changed: ServiceRole | undefined;
	/** Told what the role is called. */
	onDone: (name: string) => unknown;
	onClose: () => void;
};

/** A role of the tenant's own: what it is called, what it is for, and what it grants. Its code stays as it was made. */
export function RoleDialog({ place, changed, onDone, onClose }: RoleDialog) {
	const words = useAccessTexts();
	const [name, setName] = useState("");
	const [description, setDescription] = useState(changed?.description ?? "");
	const [permissions, setPermissions] = useState<readonly string[]>(changed?.permissions ?? []);
	const code = changed?.code ?? roleCode(name);
	const called = asWords(code);
	const send = useSend(place, changed);
	const says =
		changed === undefined
			? { title: words.makeTitle, confirm: words.make, busyText: words.making }
			: { title: words.changeTitle(called), confirm: words.save, busyText: words.saving };
	return (
		<FormDialog
			{...says}
			messages={words.refusals}
			check={() => (code === "" ? { message: words.lackingName, field: "code" } : undefined)}
			action={() => send(code, { description: description.trim(), permissions })}
			onDone={() => onDone(called)}
			onClose={onClose}
		>
			{(faultyField) => (
				<>
					{changed === undefined && (
						<TextField
							name="code"
							isProse
							autoComplete="off"
							maxLength={60}
							label={words.name}
							hint={words.nameHint(code)}
							value={name}
							onChange={(event) => setName(event.target.value)}
							isFaulty={faultyField === "code"}
						/>
					)}
					<TextField
						name="description"
						isProse
						isOptional
						autoComplete="off"
						maxLength={500}
						label={words.description}
						value={description}
						onChange={(event) => setDescription(event.target.value)}
						isFaulty={faultyField === "description"}
					/>
					<PermissionList
						place={place}
						granted={permissions}
						onChange={setPermissions}
						isFaulty={faultyField?.startsWith("permissions") === true}
					/>
				</>
			)}
		</FormDialog>
	);
}

/** Makes a role, or changes the one there is. */
function useSend(place: ServiceScope, changed: ServiceRole | undefined) {
	const platform = usePlatform();
	const { outlet } = place;
	const address = `${serviceAddress(platform, place)}/roles`;
	return (code: string, body: { description: string; permissions: readonly string[] }) =>
		changed === undefined
			? platform.client.call(address, { method: "POST", body: { code, ...body }, outlet })
			: platform.client.call(`${address}/${encodeURIComponent(code)}`, { method: "PATCH", body, outlet });
}
