import type { OutletUseCase, PublicOutlet } from "@lango/contracts";
import { useState } from "react";
import { FormDialog } from "../../dialogs/form-dialog.tsx";
import { errorsOf } from "../../forms/rules.ts";
import { usePlatform } from "../../platform.ts";
import { tenantAddress } from "../../tenant/tenant.queries.ts";
import { isOutletCode, suggestCode } from "./outlet-code.ts";
import { type EnteredOutlet, OutletFields } from "./outlet-fields.tsx";
import { outletsKey } from "./outlets.queries.ts";
import { useOutletTexts } from "./texts.ts";

type OutletDialog = {
	slug: string;
	/** The outlet to change; undefined to open a new one. */
	outlet: PublicOutlet | undefined;
	/** The default use case of a new outlet. */
	useCase: OutletUseCase;
	onClose: () => void;
};

/** Opens or changes an outlet. */
export function OutletDialog({ slug, outlet, useCase, onClose }: OutletDialog) {
	const platform = usePlatform();
	const words = useOutletTexts();
	const [entered, setEntered] = useState<EnteredOutlet>(() => enteredOf(outlet, useCase));
	const { name, useCase: use_case, isHq, status } = entered;
	const code = entered.code ?? suggestCode(name);
	const body = { name: name.trim(), code, use_case, is_hq: isHq };
	const address = `${tenantAddress(platform, slug)}/outlets`;
	const send = () =>
		outlet === undefined
			? platform.client.call(address, { method: "POST", body })
			: platform.client.call(`${address}/${outlet.id}`, { method: "PATCH", body: { ...body, status } });
	const check = () =>
		errorsOf([
			[body.name === "", "name", words.missingName],
			[!isOutletCode(code), "code", words.missingCode],
		]);
	const labels =
		outlet === undefined
			? { title: words.openTitle, confirm: words.open, busyText: words.opening }
			: { title: words.changeTitle(outlet.name), confirm: words.save, busyText: words.saving };
	return (
		<FormDialog
			{...labels}
			messages={words.errors}
			check={check}
			action={send}
			invalidates={outletsKey(slug)}
			done={outlet === undefined ? words.opened(body.name) : words.saved(body.name)}
			onClose={onClose}
		>
			{(field) => (
				<OutletFields
					entered={{ ...entered, code }}
					isNew={outlet === undefined}
					onChange={(change) => setEntered({ ...entered, ...change })}
					field={field}
				/>
			)}
		</FormDialog>
	);
}

function enteredOf(outlet: PublicOutlet | undefined, useCase: OutletUseCase): EnteredOutlet {
	if (outlet === undefined) return { name: "", code: undefined, useCase, status: "active", isHq: false };
	const { name, code, use_case, status, is_hq: isHq } = outlet;
	return { name, code, useCase: use_case, status, isHq };
}
