"""The staff's money desk: what each person approved alone lately."""
